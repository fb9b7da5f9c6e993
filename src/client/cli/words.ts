import type { Cell } from "./table.ts"

/** `mailbox_not_found` becomes `mailbox not found`. */
export const inWords = (name: string) => name.replaceAll("_", " ")

/** 1 address, 2 addresses. */
export const counted = (count: number, noun: string, plural = `${noun}s`) =>
  `${grouped(count)} ${count === 1 ? noun : plural}`

export const grouped = (count: number) => count.toLocaleString("en")

/** A share from 0 to 1 in percent. */
export const percent = (share: number) => `${Math.round(share * 100)} %`

/** A time in the terminal's time zone, to the minute. @param time ISO 8601 */
export function moment(time: string | null): string {
  if (time === null) return ""
  const at = new Date(time)
  const two = (value: number) => String(value).padStart(2, "0")
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`
}

/** Green for yes, grey for no and for unknown. */
export const yesNo = (value: boolean | null): Cell =>
  value === null ? ["unknown", "grey"] : value ? ["yes", "green"] : ["no", "grey"]

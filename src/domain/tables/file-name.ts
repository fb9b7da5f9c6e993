import { shownText } from "../address/shown-email.ts"

/** A file's name as it is kept; none that may be an address, which an erasure would not find in it. */
export function keptFileName(given: string): string | null {
  const name = shownText(given.trim())
  return name === "" || name.includes("@") ? null : name
}

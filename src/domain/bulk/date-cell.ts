/** Number formats that Excel has built in and shows as dates or times, those of East Asian and Thai locales included. */
const BUILT_IN: ReadonlySet<number> = new Set(
  [
    [14, 22],
    [27, 36],
    [45, 47],
    [50, 58],
    [71, 81],
  ].flatMap(([first = 0, last = 0]) => Array.from({ length: last - first + 1 }, (_, index) => first + index)),
)
/** Excel takes no longer format. */
const LONGEST_FORMAT = 255
const PART_OF_DATE = /^(?:s{1,2}|m{1,5}|h{1,2}|am|pm|a|p|d{1,4}|a{3,5}|y|yy|yyyy|e|ee|eeee)$/

const DAY_MS = 86_400_000
/** Days from the first day of each of Excel's calendars to 1970. */
const DAYS_TO_UNIX = { from1900: 25_569, from1904: 24_107 } as const

/** Whether a number format shows a date or a time. @param format the format itself, where it is not built in */
export function isDateFormat(id: number, format: string | undefined): boolean {
  if (BUILT_IN.has(id)) return true
  if (format === undefined || format.length > LONGEST_FORMAT) return false
  return format.toLowerCase().replace(/\\./g, " ").split(";").some(isDateSection)
}

/** Only parts of dates are left when quoted text, fractions of seconds, colors and locales are taken away. */
function isDateSection(section: string): boolean {
  const parts = section
    .replace(/"[^"]*"/g, " ")
    .replace(/([smhd]\]?)[.,]0{1,3}/g, "$1")
    .replace(/\[([smhd]{1,2})\]/g, "$1")
    .replace(/\[[^[\]]*\]/g, "")
    .split(/[^a-z0#?%]+/)
    .filter((part) => part !== "")
  return parts.length > 0 && parts.every((part) => PART_OF_DATE.test(part))
}

/** A number of days as a date in ISO 8601, without a time at midnight. A number that is no date stays as it is. */
export function dateText(days: string, is1904: boolean): string {
  const unixDays = Number(days) - (is1904 ? DAYS_TO_UNIX.from1904 : DAYS_TO_UNIX.from1900)
  return isoText(Math.floor(unixDays * DAY_MS)) ?? days
}

/** A date that a cell spells out, in the form of `dateText`. */
export function spelledDate(text: string): string {
  return isoText(Date.parse(text)) ?? text
}

function isoText(unixMs: number): string | null {
  const date = new Date(unixMs)
  return Number.isNaN(date.valueOf()) ? null : date.toISOString().replace(/T00:00:00\.000Z$/, "")
}

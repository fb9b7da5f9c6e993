import { offsetMinutes, timeOf } from "./calendar.ts"
import { readHumanDate } from "./human-date.ts"

/** Maximum length of a date text. */
const MAX_LENGTH = 100
/** Unix seconds stay below this until the year 5138; milliseconds are above it since 1973. */
const FIRST_MS = 1e11
const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(?:(Z)|([+-])(\d{2}):?(\d{2})?)?)?$/i

/**
 * Parses a time: ISO 8601 (UTC without an offset), Unix seconds or milliseconds as a number or digits, or words such as
 * "Tue, 3 Nov 2026 09:15 +0100". Ambiguous dates are rejected.
 * @param now Unix milliseconds, for words such as "yesterday" @returns Unix milliseconds; null when invalid
 */
export function readDate(given: string | number, now: number): number | null {
  if (typeof given === "number") return readUnix(given)
  const text = given.trim()
  if (text === "" || text.length > MAX_LENGTH) return null
  if (/^\d{9,13}(\.\d{1,6})?$/.test(text)) return readUnix(Number(text))
  return readIso(text) ?? readHumanDate(text, now)
}

function readUnix(value: number): number | null {
  if (!Number.isFinite(value) || value < 0) return null
  const ms = Math.round(value < FIRST_MS ? value * 1000 : value)
  return ms <= 8.64e15 ? ms : null
}

function readIso(text: string): number | null {
  const found = ISO.exec(text)
  if (!found) return null
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "0", , sign, aheadHours, aheadMinutes] =
    found
  const offset = sign ? offsetMinutes(sign, aheadHours!, aheadMinutes ?? "0") : 0
  if (offset === null) return null
  return timeOf({
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    ms: Math.floor(Number(`0.${fraction}`) * 1000),
    offset,
  })
}

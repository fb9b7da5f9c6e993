const MAX_LENGTH = 100
/** Unix seconds stay below this until the year 5138; milliseconds are above it since 1973. */
const FIRST_MS = 1e11
const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(?:(Z)|([+-])(\d{2}):?(\d{2})?)?)?$/i

/** Parses ISO 8601 (default UTC), Unix seconds or ms, or words. @param now Unix ms @returns Unix ms, or null */
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

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
const MONTH_NAME =
  /^(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?)$/
const WEEKDAY = /^(mon(day)?|tue(s|sday)?|wed(nesday)?|thu(rs|rsday)?|fri(day)?|sat(urday)?|sun(day)?)$/
const FILLER = /^(at|on|of|the)$/
/** Minutes ahead of UTC: the zones of RFC 5322 §4.3, and the two that European mail programs write. */
const ZONES: Readonly<Record<string, number>> = {
  utc: 0,
  gmt: 0,
  ut: 0,
  z: 0,
  est: -300,
  edt: -240,
  cst: -360,
  cdt: -300,
  mst: -420,
  mdt: -360,
  pst: -480,
  pdt: -420,
  cet: 60,
  cest: 120,
}
const UNIT_MS: Readonly<Record<string, number>> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
}
const TIME = /\b(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,6})?)?(?:\s*([ap])\.?m\b\.?)?|\b(\d{1,2})\s*([ap])\.?m\b\.?/
const OFFSET = /(?:\b(?:gmt|utc)\s?)?(?<=[\s\d]|gmt|utc)([+-])(\d{2}):?(\d{2})(?!\d)/

/** Parses a date in English words, such as "November 3rd, 2026 at 9:15 PM". Null for an ambiguous or unread text. */
export function readHumanDate(text: string, now: number): number | null {
  const plain = text
    .toLowerCase()
    .replace(/\([^()]*\)/g, " ")
    .trim()
  const relative = readRelative(plain, now)
  if (relative !== null) return relative
  const time = extractTime(plain)
  const zone = time && extractZone(time.rest)
  const day = zone && readDay(zone.rest)
  return day ? timeOf({ ...day, ...time.of, ms: 0, offset: zone.offset }) : null
}

function readRelative(text: string, now: number): number | null {
  if (text === "now" || text === "just now") return now
  const midnight = now - (now % UNIT_MS.day!)
  if (text === "today") return midnight
  if (text === "yesterday") return midnight - UNIT_MS.day!
  const found = /^(\d{1,4}|an?) (second|minute|hour|day|week)s? ago$/.exec(text)
  if (!found) return null
  const [, count, unit] = found
  return now - (count!.startsWith("a") ? 1 : Number(count)) * UNIT_MS[unit!]!
}

/** Extracts the time of day from the text; midnight without one. */
function extractTime(text: string) {
  const found = TIME.exec(text)
  if (!found) return { of: { hour: 0, minute: 0, second: 0 }, rest: text }
  const [, givenHour, minute = "0", second = "0", half, bareHour, bareHalf] = found
  const hour = ofDay(Number(givenHour ?? bareHour), half ?? bareHalf)
  return hour === null ? null : { of: { hour, minute: Number(minute), second: Number(second) }, rest: without(found) }
}

/** The text with a space in place of a match. */
function without({ 0: whole, index, input }: RegExpExecArray): string {
  return `${input.slice(0, index)} ${input.slice(index + whole.length)}`
}

function ofDay(hour: number, half: string | undefined): number | null {
  if (half === undefined) return hour
  if (hour < 1 || hour > 12) return null
  return (hour % 12) + (half === "p" ? 12 : 0)
}

function extractZone(text: string): { offset: number; rest: string } | null {
  const found = OFFSET.exec(text)
  if (found) {
    const [, sign, hours, minutes] = found
    const offset = offsetMinutes(sign!, hours!, minutes!)
    return offset === null ? null : { offset, rest: without(found) }
  }
  const words = text.split(/[\s,]+/)
  const name = words.find((word) => Object.hasOwn(ZONES, word))
  return { offset: name === undefined ? 0 : ZONES[name]!, rest: words.filter((word) => word !== name).join(" ") }
}

/** Day, month and year in an unambiguous order. */
function readDay(text: string): { year: number; month: number; day: number } | null {
  const words = text
    .split(/[\s,]+/)
    .filter((word) => word !== "" && !FILLER.test(word) && !WEEKDAY.test(word.replace(/\.$/, "")))
  const parts = words.length === 1 ? words[0]!.split(/[/.-]/) : words
  if (parts.length !== 3) return null
  const [first, second, third] = parts as [string, string, string]
  const fourDigits = /^\d{4}$/
  if (fourDigits.test(first)) return dayOf({ year: first, month: second, day: third })
  if (!fourDigits.test(third)) return null
  if (monthOf(first) && /[a-z]/.test(first)) return dayOf({ year: third, month: first, day: second })
  if (/[a-z]/.test(second)) return dayOf({ year: third, month: second, day: first })
  return readNumeric(first, second, third)
}

/** A day above 12 decides between 25/12/2026 and 12/25/2026. 3/11/2026 is ambiguous and rejected. */
function readNumeric(first: string, second: string, year: string) {
  if (Number(first) > 12) return dayOf({ year, month: second, day: first })
  if (Number(second) > 12 || first === second) return dayOf({ year, month: first, day: second })
  return null
}

function dayOf({ year, month, day }: { year: string; month: string; day: string }) {
  const number = /^(\d{1,2})(?:st|nd|rd|th|\.)?$/.exec(day)?.[1]
  const ofYear = monthOf(month)
  return number === undefined || ofYear === null ? null : { year: Number(year), month: ofYear, day: Number(number) }
}

function monthOf(text: string): number | null {
  if (/^\d{1,2}$/.test(text)) return Number(text) >= 1 && Number(text) <= 12 ? Number(text) : null
  const name = text.replace(/\.$/, "")
  return MONTH_NAME.test(name) ? MONTHS.indexOf(name.slice(0, 3)) + 1 : null
}

interface Calendar {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly ms: number
  /** Minutes ahead of UTC. */
  readonly offset: number
}

/** Unix milliseconds of a valid date; null for 30 February, 25 o'clock and the like. A leap second is the next second. */
function timeOf({ year, month, day, hour, minute, second, ms, offset }: Calendar): number | null {
  const midnight = Date.UTC(year, month - 1, day)
  const date = new Date(midnight)
  const exists =
    year >= 1970 && date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  if (!exists || hour > 23 || minute > 59 || second > 60) return null
  return midnight + ((hour * 60 + minute - offset) * 60 + second) * 1000 + ms
}

/** Minutes of an offset such as +01:00; null beyond the 14 hours in use. */
function offsetMinutes(sign: string, hours: string, minutes: string): number | null {
  const total = Number(hours) * 60 + Number(minutes)
  if (total > 14 * 60 || Number(minutes) > 59) return null
  return sign === "-" ? -total : total
}

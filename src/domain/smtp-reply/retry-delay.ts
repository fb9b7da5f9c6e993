const DAY = 86_400

/** Words that introduce a delay ("try again in", "for", "after", "wait"), in the languages of greylisting servers. */
const CUE =
  "(?:in|after|for|wait|waiting|within|least|another|again|retry|delay(?:ed)?|remaining|seconds?|time|over|next|" +
  "dans|apres|por|en|durante|nach|fur|noch|tra|fra|dopo|per|po|za|through|через|om|efter|na|until)"

const CLOCK = new RegExp(
  `(?<![a-zа-я])${CUE}[ :=(]{1,3}(?:about |ca\\.? )?(\\d{1,2}):([0-5]\\d)(?::([0-5]\\d))?(?![:\\d])`,
)
const UNIT_WORD =
  "(?:h(?:ours?|rs?|eures?|oras?)?|stunden?|ore|godzin\\w{0,2}|час[а-я]{0,3}|m(?:in(?:ut\\w{0,4})?s?)?|мин[а-я]{0,4}|" +
  "s(?:ec(?:ond\\w{0,2})?s?|ek(?:und\\w{0,3})?|egund\\w{0,3}|ecund\\w{0,2})?|сек[а-я]{0,4}|分|秒|小时|分钟|d(?:ays?)?)"
const AMOUNT = `(\\d{1,6}) ?(${UNIT_WORD})(?:\\(s\\))?(?![a-zа-я])`
const CUED_AMOUNT = new RegExp(
  `(?<![a-zа-я])${CUE}[ :=(]{1,3}(?:about |approximately |another |at least |ca\\.? )?${AMOUNT}`,
)
const FURTHER = new RegExp(`^(?: and|,)? ?${AMOUNT}`)
const BARE_UNIT = new RegExp(`(?<![\\d.:/])${AMOUNT}`)
const BARE_NUMBER = /\b(?:retry(?:[- ]after| in)|again (?:in|after)|wait|delay)[ :=]{1,2}(\d{1,5})(?![\d.:])/

/** The delay in seconds that a folded reply requests ("4m30s"). @param loose without a word such as "in" too */
export function readRetryDelay(text: string, loose: boolean): number | null {
  const seconds = readClock(text) ?? readAmounts(text, loose) ?? readNumber(text)
  return seconds !== null && seconds > 0 && seconds <= 7 * DAY ? seconds : null
}

function readClock(text: string): number | null {
  const clock = CLOCK.exec(text)
  if (!clock) return null
  const [first, second, third] = [Number(clock[1]), Number(clock[2]), clock[3]]
  return third === undefined ? first * 60 + second : first * 3600 + second * 60 + Number(third)
}

function readAmounts(text: string, loose: boolean): number | null {
  const start = CUED_AMOUNT.exec(text) ?? (loose ? BARE_UNIT.exec(text) : null)
  if (!start) return null
  let seconds = toSeconds(start)
  let rest = text.slice(start.index + start[0].length)
  for (let part = FURTHER.exec(rest); part; part = FURTHER.exec(rest)) {
    seconds += toSeconds(part)
    rest = rest.slice(part[0].length)
  }
  return seconds
}

function readNumber(text: string): number | null {
  const bare = BARE_NUMBER.exec(text)
  return bare ? Number(bare[1]) : null
}

function toSeconds(match: RegExpExecArray): number {
  return Number(match[1]) * unitSeconds(match[2] ?? "")
}

function unitSeconds(unit: string): number {
  if (/^(?:h|stund|ore$|godz|час|小时)/.test(unit)) return 3600
  if (/^(?:m|мин|分)/.test(unit)) return 60
  return unit.startsWith("d") ? DAY : 1
}

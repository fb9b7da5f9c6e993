/** Delimiters looked for, the likelier first. */
export const DELIMITERS = [",", ";", "\t", "|"] as const
export type Delimiter = (typeof DELIMITERS)[number]

/** Records looked at. */
const RECORDS = 50
const DECLARATION = /^("?)sep=([,;\t|])\1(?:\r|\n|$)/i

/** The delimiter a first line "sep=;" names, as Excel writes and reads it, in quotes or without; null when the table begins at once. */
export function declaredDelimiter(sample: string): Delimiter | null {
  return (DECLARATION.exec(sample)?.[2] as Delimiter | undefined) ?? null
}

/**
 * The delimiter that cuts most records of a sample, and the more of them into the same number of fields; null when none
 * does, as in a list of one address a line. Fields in quotes are not cut (RFC 4180). The sample's last record may be torn.
 */
export function findDelimiter(sample: string, among: readonly Delimiter[] = DELIMITERS): Delimiter | null {
  let best: { delimiter: Delimiter; fit: number } | null = null
  for (const delimiter of among) {
    const fit = fitOf(cutBy(delimiter, sample))
    if (fit > (best?.fit ?? 0)) best = { delimiter, fit }
  }
  return best?.delimiter ?? null
}

/** From 0 (cuts nothing) to 1 (cuts every record alike), a little more for more fields, less for fields that go on behind their quote. */
function fitOf({ counts, torn }: Cut): number {
  const cut = counts.filter((count) => count > 1)
  if (cut.length === 0 || cut.length * 2 < counts.length) return 0
  const tally = new Map<number, number>()
  for (const count of cut) tally.set(count, (tally.get(count) ?? 0) + 1)
  const [fields, records] = [...tally].reduce((most, next) => (next[1] > most[1] ? next : most), [1, 0])
  return (records - Math.min(torn, records) / 2) / counts.length + Math.min(fields, 100) / 10_000
}

interface Cut {
  /** Fields of each of the first records; blank lines are no records. */
  readonly counts: readonly number[]
  /** Quoted fields that do not end where their quote does: a sign of the wrong delimiter. */
  readonly torn: number
}

function cutBy(delimiter: Delimiter, sample: string): Cut {
  const behindQuote: readonly (string | undefined)[] = [delimiter, "\n", "\r", undefined]
  const counts: number[] = []
  let torn = 0
  let fields = 0
  let fieldStart = 0
  for (let at = 0; at <= sample.length && counts.length < RECORDS; at++) {
    if (sample[at] === '"' && at === fieldStart) {
      at = endOfQuoted(sample, at) + 1
      if (!behindQuote.includes(sample[at])) torn++
    }
    const character = sample[at]
    if (character === delimiter) {
      fields++
      fieldStart = at + 1
    } else if (character === undefined || character === "\n" || character === "\r") {
      // Behind the end: the quote is never closed, so the record is torn.
      if (at <= sample.length && (fields > 0 || at > fieldStart)) counts.push(fields + 1)
      fields = 0
      fieldStart = at + 1
    }
  }
  return { counts, torn }
}

/** Where the quote that opens at `start` is closed; the end of the sample when it is not. */
function endOfQuoted(sample: string, start: number): number {
  for (let at = start + 1; at < sample.length; at++) {
    if (sample[at] !== '"') continue
    if (sample[at + 1] !== '"') return at
    at++
  }
  return sample.length
}

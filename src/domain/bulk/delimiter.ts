/** Supported delimiters, the most likely first. */
export const DELIMITERS = [",", ";", "\t", "|"] as const
export type Delimiter = (typeof DELIMITERS)[number]

/** Number of records to inspect. */
const RECORDS = 50
const DECLARATION = /^("?)sep=([,;\t|])\1(?:\r|\n|$)/i

/** Returns the delimiter of a first line "sep=;" (Excel's form, with or without quotes). Null without such a line. */
export function declaredDelimiter(sample: string): Delimiter | null {
  return (DECLARATION.exec(sample)?.[2] as Delimiter | undefined) ?? null
}

/**
 * Finds the delimiter that splits most records of a sample into the same number of fields. Quoted fields are not split
 * (RFC 4180). The last record of the sample may be incomplete.
 * @returns null when no delimiter fits, as in a list with one address a line
 */
export function findDelimiter(sample: string, among: readonly Delimiter[] = DELIMITERS): Delimiter | null {
  let best: { delimiter: Delimiter; fit: number } | null = null
  for (const delimiter of among) {
    const fit = fitOf(splitBy(delimiter, sample))
    if (fit > (best?.fit ?? 0)) best = { delimiter, fit }
  }
  return best?.delimiter ?? null
}

/** Rates a split: 0 splits nothing, 1 splits every record alike. More fields add a little, broken quotes subtract. */
function fitOf({ counts, brokenQuotes }: Split): number {
  const cut = counts.filter((count) => count > 1)
  if (cut.length === 0 || cut.length * 2 < counts.length) return 0
  const byFields = new Map<number, number>()
  for (const count of cut) byFields.set(count, (byFields.get(count) ?? 0) + 1)
  const [fields, records] = [...byFields].reduce((most, next) => (next[1] > most[1] ? next : most), [1, 0])
  return (records - Math.min(brokenQuotes, records) / 2) / counts.length + Math.min(fields, 100) / 10_000
}

interface Split {
  /** Number of fields of each of the first records. Blank lines are not records. */
  readonly counts: readonly number[]
  /** Quoted fields that continue after their closing quote, which indicates a wrong delimiter. */
  readonly brokenQuotes: number
}

function splitBy(delimiter: Delimiter, sample: string): Split {
  const afterQuote: readonly (string | undefined)[] = [delimiter, "\n", "\r", undefined]
  const counts: number[] = []
  let brokenQuotes = 0
  let fields = 0
  let fieldStart = 0
  for (let at = 0; at <= sample.length && counts.length < RECORDS; at++) {
    if (sample[at] === '"' && at === fieldStart) {
      at = endOfQuoted(sample, at) + 1
      if (!afterQuote.includes(sample[at])) brokenQuotes++
    }
    const character = sample[at]
    if (character === delimiter) {
      fields++
      fieldStart = at + 1
    } else if (character === undefined || character === "\n" || character === "\r") {
      // Beyond the end, the quote is not closed and the record is incomplete.
      if (at <= sample.length && (fields > 0 || at > fieldStart)) counts.push(fields + 1)
      fields = 0
      fieldStart = at + 1
    }
  }
  return { counts, brokenQuotes }
}

/** Returns the index of the closing quote for the quote at `start`, or the end of the sample. */
function endOfQuoted(sample: string, start: number): number {
  for (let at = start + 1; at < sample.length; at++) {
    if (sample[at] !== '"') continue
    if (sample[at + 1] !== '"') return at
    at++
  }
  return sample.length
}

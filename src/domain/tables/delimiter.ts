/** Delimiters looked for, the likelier first. */
export const DELIMITERS = [",", ";", "\t", "|"] as const
export type Delimiter = (typeof DELIMITERS)[number]

/** Records looked at. */
const RECORDS = 50

/**
 * The delimiter that cuts the most records of a sample into the same number of fields, more than one; null when none
 * does, as in a list of one address a line. Fields in quotes are not cut (RFC 4180). The sample's last record may be torn.
 */
export function findDelimiter(sample: string, among: readonly Delimiter[] = DELIMITERS): Delimiter | null {
  let best: { delimiter: Delimiter; fit: number } | null = null
  for (const delimiter of among) {
    const fit = fitOf(fieldCounts(sample, delimiter))
    if (fit > (best?.fit ?? 0)) best = { delimiter, fit }
  }
  return best?.delimiter ?? null
}

/** From 0 (cuts nothing) to 1 (cuts every record alike), and a little more for more fields. */
function fitOf(counts: readonly number[]): number {
  const tally = new Map<number, number>()
  for (const count of counts) tally.set(count, (tally.get(count) ?? 0) + 1)
  const [fields, records] = [...tally].reduce((most, next) => (next[1] > most[1] ? next : most), [1, 0])
  if (fields < 2 || records * 2 < counts.length) return 0
  return records / counts.length + Math.min(fields, 100) / 10_000
}

/** Fields of each of the first records; blank lines are no records. */
function fieldCounts(sample: string, delimiter: Delimiter): number[] {
  const counts: number[] = []
  let fields = 0
  let isQuoted = false
  let fieldStart = 0
  for (let at = 0; at <= sample.length && counts.length < RECORDS; at++) {
    const character = sample[at]
    if (isQuoted) {
      if (character !== '"') continue
      if (sample[at + 1] === '"') at++
      else isQuoted = false
    } else if (character === '"' && at === fieldStart) isQuoted = true
    else if (character === delimiter) {
      fields++
      fieldStart = at + 1
    } else if (character === undefined || character === "\n" || character === "\r") {
      if (fields > 0 || at > fieldStart) counts.push(fields + 1)
      fields = 0
      fieldStart = at + 1
    }
  }
  return counts
}

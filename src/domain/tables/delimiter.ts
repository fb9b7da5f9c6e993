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
  let fields = 1
  let length = 0
  let quoted = false
  for (const character of sample) {
    if (character === '"') quoted = !quoted
    if (!quoted && (character === "\n" || character === "\r")) {
      if (length > 0) counts.push(fields)
      if (counts.length === RECORDS) return counts
      fields = 1
      length = 0
      continue
    }
    length++
    if (!quoted && character === delimiter) fields++
  }
  if (length > 0 && (counts.length === 0 || !quoted)) counts.push(fields)
  return counts
}

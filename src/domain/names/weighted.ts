/** One way to write something, and how likely it is among all ways; the shares of a list add up to 1. */
export interface Weighted {
  readonly text: string
  readonly share: number
}

/** Adds up the shares of equal texts, scales all to 1 and puts the likeliest first; of many only the first `most` stay. */
export function weigh(options: readonly Weighted[], most: number): Weighted[] {
  const shares = new Map<string, number>()
  for (const { text, share } of options) if (text !== "") shares.set(text, (shares.get(text) ?? 0) + share)
  const ranked = [...shares].toSorted(([, a], [, b]) => b - a).slice(0, most)
  const total = ranked.reduce((sum, [, share]) => sum + share, 0)
  return ranked.map(([text, share]) => ({ text, share: share / total }))
}

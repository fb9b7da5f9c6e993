/** An option with its probability. The shares of a list add up to 1. */
export interface Weighted {
  readonly text: string
  readonly share: number
}

/** Merges equal texts and scales the shares to a sum of 1. Returns at most `most` options, the most likely first. */
export function normalizeShares(options: readonly Weighted[], most: number): Weighted[] {
  const shares = new Map<string, number>()
  for (const { text, share } of options) if (text !== "") shares.set(text, (shares.get(text) ?? 0) + share)
  const ranked = [...shares].toSorted(([, a], [, b]) => b - a).slice(0, most)
  const total = ranked.reduce((sum, [, share]) => sum + share, 0)
  return ranked.map(([text, share]) => ({ text, share: share / total }))
}

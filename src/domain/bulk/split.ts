/** Splits a list into at most `parts` runs of similar length, each at least `atLeast` long. Preserves the order. */
export function split<T>(list: readonly T[], { parts, atLeast }: { parts: number; atLeast: number }): T[][] {
  const count = Math.max(1, Math.min(parts, Math.floor(list.length / atLeast)))
  const size = Math.ceil(list.length / count)
  return Array.from({ length: Math.ceil(list.length / size) || 0 }, (_, n) => list.slice(n * size, (n + 1) * size))
}

/**
 * Cuts a list into at most `parts` runs of about the same length, none shorter than `atLeast` unless the list is.
 * A sorted list keeps its neighbours together.
 */
export function split<T>(list: readonly T[], { parts, atLeast }: { parts: number; atLeast: number }): T[][] {
  const count = Math.max(1, Math.min(parts, Math.floor(list.length / atLeast)))
  const size = Math.ceil(list.length / count)
  return Array.from({ length: Math.ceil(list.length / size) || 0 }, (_, n) => list.slice(n * size, (n + 1) * size))
}

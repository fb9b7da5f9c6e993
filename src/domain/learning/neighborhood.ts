import type { History } from "./features.ts"

/** Statistics of a domain's addresses, without the addresses themselves. */
export interface Neighborhood {
  /** Number of addresses not known to be missing, by name format. */
  readonly formats: ReadonlyMap<string, number>
  readonly known: number
  readonly missing: number
}

/** Minimum number of neighbors for a share. */
const MIN_NEIGHBORS = 5

/**
 * History of an address from the other addresses of its domain.
 * @param own how the address itself is counted in the neighborhood; it is subtracted
 */
export function neighborHistory(
  neighborhood: Neighborhood | undefined,
  { pattern, own }: { pattern: string; own: "known" | "missing" | null },
): Pick<History, "formatShare" | "missingShare"> {
  if (!neighborhood) return { formatShare: null, missingShare: null }
  const known = neighborhood.known - (own === "known" ? 1 : 0)
  const missing = neighborhood.missing - (own === "missing" ? 1 : 0)
  const alike = (neighborhood.formats.get(pattern) ?? 0) - (own === "known" ? 1 : 0)
  return {
    formatShare: known < MIN_NEIGHBORS ? null : Math.max(0, alike) / known,
    missingShare: known + missing < MIN_NEIGHBORS ? null : Math.max(0, missing) / (known + missing),
  }
}

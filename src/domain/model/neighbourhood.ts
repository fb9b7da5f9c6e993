import type { History } from "./features.ts"

/** What is known of a domain's addresses, without any of them. */
export interface Neighbourhood {
  /** Addresses that are not known to be missing, by the format of their names. */
  readonly formats: ReadonlyMap<string, number>
  readonly known: number
  readonly missing: number
}

/** Fewer neighbours show nothing. */
const MIN_NEIGHBOURS = 5

/**
 * What the other addresses of a domain say about one. @param own whether the address itself is among those counted as known
 */
export function neighbourHistory(
  neighbourhood: Neighbourhood | undefined,
  { pattern, own }: { pattern: string; own: "known" | "missing" | null },
): Pick<History, "formatShare" | "missingShare"> {
  if (!neighbourhood) return { formatShare: null, missingShare: null }
  const known = neighbourhood.known - (own === "known" ? 1 : 0)
  const missing = neighbourhood.missing - (own === "missing" ? 1 : 0)
  const alike = (neighbourhood.formats.get(pattern) ?? 0) - (own === "known" ? 1 : 0)
  return {
    formatShare: known < MIN_NEIGHBOURS ? null : Math.max(0, alike) / known,
    missingShare: known + missing < MIN_NEIGHBOURS ? null : Math.max(0, missing) / (known + missing),
  }
}

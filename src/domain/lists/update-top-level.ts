import { RESERVED_TOP_LEVEL } from "../address/reserved-name.ts"
import { shippedTopLevel } from "./built-in.ts"
import { domainsInMost, type ListSourceVote } from "./merge.ts"
import { UPDATE_LIMITS, type UpdatePlan } from "./update-plan.ts"

/** Limits of a refresh that the operator does not force. */
export const TOP_LEVEL_LIMITS = {
  /** New and lost names. The root zone has 1,438 names, and gains or loses about ten in a year. */
  changes: 150,
  /** Share of the shipped names that the list may lack. */
  lacking: 0.05,
} as const

/**
 * Plans a refresh of the top-level domains, or returns why it is refused. One source is enough, because IANA publishes
 * the root zone: two sources must agree. The shipped names stay, and reserved names are never added.
 */
export function planTopLevelUpdate(
  held: ReadonlySet<string>,
  sources: readonly ListSourceVote[],
  { force = false }: { force?: boolean } = {},
): UpdatePlan {
  if (sources.length === 0) return { accepted: false, refusal: { reason: "too_few_sources", sources: 0, needed: 1 } }
  const shipped = shippedTopLevel()
  const names = domainsInMost(sources, Math.min(sources.length, UPDATE_LIMITS.voices))
  const fresh = [...names].filter((name) => !shipped.has(name))
  const wanted = new Set(fresh.filter((name) => !RESERVED_TOP_LEVEL.has(name)))
  const leftOut = fresh
    .filter((name) => !wanted.has(name))
    .map((domain) => ({ domain, reason: "not_a_domain" as const }))
  const additions = [...wanted].filter((name) => !held.has(name)).sort()
  const removals = [...held].filter((name) => !wanted.has(name)).sort()
  const lacking = [...shipped].filter((name) => !names.has(name)).length
  const lost = removals.filter((name) => !shipped.has(name)).length
  const refusal = force ? null : refusalOf({ lacking, shipped: shipped.size, added: additions.length, lost })
  return refusal ? { accepted: false, refusal } : { accepted: true, additions, removals, leftOut }
}

function refusalOf({ lacking, shipped, added, lost }: Record<"lacking" | "shipped" | "added" | "lost", number>) {
  const { changes: allowed } = TOP_LEVEL_LIMITS
  if (lacking > TOP_LEVEL_LIMITS.lacking * shipped) return { reason: "incomplete", lacking, shipped } as const
  if (added > allowed) return { reason: "too_many_additions", changes: added, allowed } as const
  return lost > allowed ? ({ reason: "too_many_removals", changes: lost, allowed } as const) : null
}

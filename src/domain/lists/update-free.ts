import { BUILT_IN } from "./built-in.ts"
import { refusalOf } from "./guard.ts"
import { agreed, isCovered, type Voice, withoutCovered } from "./merge.ts"
import { type LeftOut, UPDATE_LIMITS, type UpdateLimits, type UpdatePlan } from "./update-plan.ts"

/** The shipped list of free providers has about this many names; shares of a change are of it and the names held. */
const SHIPPED_FREE = 10_000
const NOBODY = { has: () => false }

/**
 * What a refresh of the free providers would change, or why it may not; the rules of `planUpdate` for a list that says
 * nothing bad about a domain. Disposable domains, relays, schools and public suffixes are no free providers.
 */
export function planFreeUpdate(
  held: ReadonlySet<string>,
  sources: readonly Voice[],
  { limits = UPDATE_LIMITS, force = false }: { limits?: UpdateLimits; force?: boolean } = {},
): UpdatePlan {
  if (sources.length < limits.voices)
    return { accepted: false, refusal: { reason: "too_few_sources", sources: sources.length, needed: limits.voices } }
  const leftOut: LeftOut[] = []
  const wanted = new Set<string>()
  for (const domain of agreed(sources, limits.voices)) {
    if (BUILT_IN.free.has(domain) || isCovered(domain, BUILT_IN.free)) continue
    const reason = refusalOf(domain, { providers: NOBODY, relays: BUILT_IN.relay, schools: BUILT_IN.education })
    if (reason !== null) leftOut.push({ domain, reason })
    else if (!BUILT_IN.disposable.has(domain)) wanted.add(domain)
  }
  const kept = withoutCovered(wanted)
  const additions = [...kept].filter((domain) => !held.has(domain)).sort()
  const removals = [...held].filter((domain) => !kept.has(domain)).sort()
  const allowed = (share: number, of: number) => Math.max(limits.freeChanges, Math.floor(share * of))
  const mayAdd = allowed(limits.maxAddedShare, SHIPPED_FREE + held.size)
  const mayLose = allowed(limits.maxRemovedShare, held.size)
  if (!force && additions.length > mayAdd)
    return { accepted: false, refusal: { reason: "too_many_additions", changes: additions.length, allowed: mayAdd } }
  if (!force && removals.length > mayLose)
    return { accepted: false, refusal: { reason: "too_many_removals", changes: removals.length, allowed: mayLose } }
  return { accepted: true, additions, removals, leftOut }
}

import { BUILT_IN } from "./built-in.ts"
import { refusalOf } from "./guard.ts"
import { domainsInMost, hasParentIn, type ListSourceVote, withoutChildren } from "./merge.ts"
import { type LeftOutSource, refusalOfSize, refusalOfSources, UPDATE_LIMITS, type UpdatePlan } from "./update-plan.ts"

/** Approximate number of built-in free providers. The limits of a change are shares of it and of the stored names. */
const SHIPPED_FREE = 10_000
const EMPTY = { has: () => false }

/**
 * Plans a refresh of the free providers, or returns why it is refused. Follows the rules of `planUpdate`, but providers
 * are not protected from this list. Disposable domains, relays, schools and public suffixes are never free providers.
 */
export function planFreeUpdate(
  held: ReadonlySet<string>,
  sources: readonly ListSourceVote[],
  { force = false }: { force?: boolean } = {},
): UpdatePlan {
  const tooFew = refusalOfSources(sources)
  if (tooFew) return { accepted: false, refusal: tooFew }
  const leftOut: LeftOutSource[] = []
  const wanted = new Set<string>()
  for (const domain of domainsInMost(sources, UPDATE_LIMITS.voices)) {
    if (BUILT_IN.free.has(domain) || hasParentIn(domain, BUILT_IN.free)) continue
    const reason = refusalOf(domain, { providers: EMPTY, relays: BUILT_IN.relay, schools: BUILT_IN.education })
    if (reason !== null) leftOut.push({ domain, reason })
    else if (!BUILT_IN.disposable.has(domain)) wanted.add(domain)
  }
  const kept = withoutChildren(wanted)
  const additions = [...kept].filter((domain) => !held.has(domain)).sort()
  const removals = [...held].filter((domain) => !kept.has(domain)).sort()
  const size = { added: additions.length, lost: removals.length, shipped: SHIPPED_FREE, held: held.size }
  const refusal = force ? null : refusalOfSize(size)
  return refusal ? { accepted: false, refusal } : { accepted: true, additions, removals, leftOut }
}

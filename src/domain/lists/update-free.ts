import { BUILT_IN } from "./built-in.ts"
import { refusalOf } from "./guard.ts"
import { agreed, isCovered, type Voice, withoutCovered } from "./merge.ts"
import { type LeftOut, refusalOfSize, refusalOfSources, UPDATE_LIMITS, type UpdatePlan } from "./update-plan.ts"

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
  { force = false }: { force?: boolean } = {},
): UpdatePlan {
  const tooFew = refusalOfSources(sources)
  if (tooFew) return { accepted: false, refusal: tooFew }
  const leftOut: LeftOut[] = []
  const wanted = new Set<string>()
  for (const domain of agreed(sources, UPDATE_LIMITS.voices)) {
    if (BUILT_IN.free.has(domain) || isCovered(domain, BUILT_IN.free)) continue
    const reason = refusalOf(domain, { providers: NOBODY, relays: BUILT_IN.relay, schools: BUILT_IN.education })
    if (reason !== null) leftOut.push({ domain, reason })
    else if (!BUILT_IN.disposable.has(domain)) wanted.add(domain)
  }
  const kept = withoutCovered(wanted)
  const additions = [...kept].filter((domain) => !held.has(domain)).sort()
  const removals = [...held].filter((domain) => !kept.has(domain)).sort()
  const size = { added: additions.length, lost: removals.length, shipped: SHIPPED_FREE, held: held.size }
  const refusal = force ? null : refusalOfSize(size)
  return refusal ? { accepted: false, refusal } : { accepted: true, additions, removals, leftOut }
}

import { inParallel } from "../../adapters/in-parallel.ts"
import type { Deps } from "../../deps.ts"
import type { DomainFacts, FactName, KeptFacts } from "../../domain/verdict/evidence.ts"
import { type FactNeeds, gatherFacts } from "./gather-facts.ts"

export type FactsOfManyNeeds = FactNeeds & Pick<Deps, "resultLists">

/** Facts a list is worth asking for: the route, and what weighs in the score at one query each. */
const ASKED: readonly FactName[] = ["route", "spf", "dmarc"]
/** Domains looked up at a time: more would only wait for the six connections a Worker may open. */
const AT_A_TIME = 12
const BUDGET_MS = 5_000

/**
 * The facts of many domains: kept ones by one read, the others asked for once a domain and kept by one write. What
 * somebody else has found out and is still fresh comes along. @param wallAt Unix ms; domains not begun by then are left out
 */
export async function factsOfDomains(
  needs: FactsOfManyNeeds,
  { domains, wallAt }: { domains: readonly string[]; wallAt: number },
): Promise<Map<string, DomainFacts>> {
  const { clock, results, resultLists } = needs
  const kept = await resultLists.factsOf(domains)
  const unsaved = new Map<string, KeptFacts>()
  let isWritten = false
  const found = new Map<string, DomainFacts>()
  await inParallel(domains, AT_A_TIME, async (domain) => {
    const now = clock.now()
    if (now >= wallAt) return
    const stored = kept.get(domain) ?? null
    const wanted = new Set([...ASKED, ...fresh(stored, now)])
    const save = async (facts: KeptFacts) => {
      // What comes after the one write has a write of its own.
      if (isWritten) await results.saveFacts(domain, facts)
      else unsaved.set(domain, { ...unsaved.get(domain), ...facts })
    }
    const gathering = gatherFacts(needs, { domain, stored, wanted, save })
    found.set(domain, await gathering.within(BUDGET_MS))
  })
  isWritten = true
  if (unsaved.size > 0) await resultLists.saveFactsOf(unsaved)
  return found
}

function fresh(kept: KeptFacts | null, now: number): FactName[] {
  return (Object.keys(kept ?? {}) as FactName[]).filter((name) => (kept?.[name]?.expiresAt ?? 0) > now)
}

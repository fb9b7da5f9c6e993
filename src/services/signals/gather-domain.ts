import type { Deps } from "../../deps.ts"
import type { DomainFacts, FactName } from "../../domain/verdict/evidence.ts"
import { type FactNeeds, gatherFacts } from "../verification/gather-facts.ts"

export type DomainNeeds = FactNeeds & Pick<Deps, "resultLists">

/**
 * Who asks for a fact alone is given it: as long as the slowest finder takes before it gives up, in ms. A verification
 * would go on without.
 */
const BUDGET_MS = 9_000

/** Facts of a domain by name: kept ones while they hold, the others looked for now. */
export async function gatherDomain(
  needs: DomainNeeds,
  { domain, wanted }: { domain: string; wanted: readonly FactName[] },
): Promise<DomainFacts> {
  const stored = (await needs.resultLists.factsOf([domain])).get(domain) ?? null
  return gatherFacts(needs, { domain, stored, wanted: new Set(["route", ...wanted]) }).within(BUDGET_MS)
}

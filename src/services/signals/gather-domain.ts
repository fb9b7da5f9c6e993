import type { Deps } from "../../deps.ts"
import type { DomainFacts, FactName } from "../../domain/verdict/evidence.ts"
import { domainFacts, type FactNeeds } from "../verification/domain-facts.ts"

export type DomainNeeds = FactNeeds & Pick<Deps, "resultLists">

/** Facts of a domain by name: kept ones while they hold, the others looked for now. */
export async function gatherDomain(
  needs: DomainNeeds,
  { domain, wanted }: { domain: string; wanted: readonly FactName[] },
): Promise<DomainFacts> {
  const stored = (await needs.resultLists.factsOf([domain])).get(domain) ?? null
  return domainFacts(needs, { domain, stored, wanted: new Set(["route", ...wanted]) })
}

import { getDomain } from "tldts"
import type { Deps } from "../../deps.ts"
import { type Cohort, cohortOf, groupCohorts, type Traits, traitsOf } from "../../domain/intel/cohort.ts"
import type { Fact, FactName, KeptFacts } from "../../domain/verdict/evidence.ts"
import { type DomainNeeds, gatherDomain } from "./gather-domain.ts"

/** As many of the domains known as are compared. */
const SAMPLE = 2_000

export type CompareNeeds = Pick<Deps, "domainKinds" | "clock">

/** Known domains by operator, age and size. */
export async function listCohorts(needs: CompareNeeds): Promise<{ compared: number; cohorts: Cohort[] }> {
  const all = await traitsOfKnown(needs)
  return { compared: all.length, cohorts: groupCohorts(all) }
}

export interface Comparison {
  readonly own: Traits
  readonly cohort: ReturnType<typeof cohortOf>
}

/** A domain beside those most like it. */
export async function compareDomain(
  needs: CompareNeeds & DomainNeeds & Pick<Deps, "formats">,
  domain: string,
): Promise<Comparison> {
  const wanted = ["spf", "dkim", "dmarc", "rbl", "registration"] as const
  const [facts, samples] = await Promise.all([gatherDomain(needs, { domain, wanted }), needs.formats.samples(domain)])
  const kept = Object.fromEntries(
    (["route", ...wanted] as const).map((name: FactName): [FactName, Fact<unknown>] => [
      name,
      { value: facts[name] ?? null, checkedAt: 0, expiresAt: 0 },
    ]),
  ) as KeptFacts
  const own = traitsOf(kept, samples.length, needs.clock.now())
  return { own, cohort: cohortOf(own, await traitsOfKnown(needs)) }
}

/** Of the names below one registered domain one stands for all: its owner has names without end. */
async function traitsOfKnown({ domainKinds, clock }: CompareNeeds): Promise<Traits[]> {
  const known = await domainKinds.latest(SAMPLE)
  const oneEach = new Map(known.map((one) => [getDomain(one.domain) ?? one.domain, one]))
  return [...oneEach.values()].map(({ facts, addresses }) => traitsOf(facts, addresses, clock.now()))
}

import { getDomain } from "tldts"
import type { Context } from "../../context.ts"
import {
  type Cohort,
  cohortOf,
  type DomainFeatures,
  domainFeaturesOf,
  groupCohorts,
} from "../../domain/signals/stored-domains.ts"
import type { Fact, FactName, StoredFacts } from "../../domain/verification/evidence.ts"
import { gatherDomain } from "./gather-domain.ts"

/** The number of known domains in the comparison. */
const SAMPLE = 2_000

/** Groups known domains by operator, age and size. */
export async function listCohorts(ctx: Context): Promise<{ compared: number; cohorts: Cohort[] }> {
  const all = await traitsOfKnown(ctx)
  return { compared: all.length, cohorts: groupCohorts(all) }
}

export interface Comparison {
  readonly own: DomainFeatures
  readonly cohort: ReturnType<typeof cohortOf>
}

/** Compares a domain with the most similar domains. */
export async function compareDomain(ctx: Context, domain: string): Promise<Comparison> {
  const wanted = ["spf", "dkim", "dmarc", "rbl", "registration"] as const
  const [facts, samples] = await Promise.all([gatherDomain(ctx, { domain, wanted }), ctx.store.formats.samples(domain)])
  const asFacts = Object.fromEntries(
    (["route", ...wanted] as const).map((name: FactName): [FactName, Fact<unknown>] => [
      name,
      { value: facts[name] ?? null, checkedAt: 0, expiresAt: 0 },
    ]),
  ) as StoredFacts
  const own = domainFeaturesOf(asFacts, samples.length, ctx.clock.now())
  return { own, cohort: cohortOf(own, await traitsOfKnown(ctx)) }
}

/** Keeps a single entry per registered domain, because its owner can create any number of names below it. */
async function traitsOfKnown(ctx: Context): Promise<DomainFeatures[]> {
  const known = await ctx.store.domainKinds.latest(SAMPLE)
  const oneEach = new Map(known.map((one) => [getDomain(one.domain) ?? one.domain, one]))
  return [...oneEach.values()].map(({ facts, addresses }) => domainFeaturesOf(facts, addresses, ctx.clock.now()))
}

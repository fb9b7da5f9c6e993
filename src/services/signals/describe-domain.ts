import { getDomain } from "tldts"
import type { Status } from "../../../schema/vocabulary.ts"
import type { Context } from "../../context.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import type { Dkim } from "../../domain/dns/mail-auth.ts"
import type { ListClasses } from "../../domain/reference/classify.ts"
import { classifyByHosts } from "../../domain/reference/classify-by-hosts.ts"
import {
  type Cohort,
  cohortOf,
  type DomainCatchAll,
  type DomainFeatures,
  domainCatchAll,
  domainFeaturesOf,
  groupCohorts,
} from "../../domain/signals/stored-domains.ts"
import { mailHostsOf } from "../../domain/smtp-reply/operators.ts"
import type { DomainFacts, Fact, FactName, StoredFacts } from "../../domain/verification/evidence.ts"
import { factLifetimeMs } from "../../domain/verification/lifetime.ts"
import { reassess } from "../../domain/verification/verification.ts"
import { countNetworkWork } from "../accounts/count-free-work.ts"
import { type KnownFormats, readFormats } from "../finder/formats.ts"
import { gatherFacts } from "../verification/facts.ts"
import { findAllDkim } from "../verification/find-mail-auth.ts"
import { storeFacts } from "../verification/settle.ts"

export interface DomainDescription {
  readonly facts: DomainFacts
  readonly classes: ListClasses
  readonly formats: KnownFormats
  /** Stored results by status. */
  readonly statuses: Partial<Record<Status, number>>
  readonly catchAll: DomainCatchAll
}

/** Stored results that are judged for the catch-all result. */
const JUDGED = 20

/** Describes a domain without revealing any address. */
export async function describeDomain(
  ctx: Context,
  { domain, clientIp }: { domain: string; clientIp: string | undefined },
): Promise<DomainDescription> {
  await countNetworkWork(ctx, "domainIntel", clientIp)
  const wanted = ["exchangers", "spf", "dkim", "dmarc", "mtaSts", "bimi", "registration", "web"] as const
  const [facts, statuses, decided] = await Promise.all([
    gatherDomain(ctx, { domain, wanted }),
    ctx.store.domainKinds.statuses(domain),
    ctx.store.domainKinds.newestDecided(domain, JUDGED),
  ])
  const formats = await readFormats(ctx, { domain, route: facts.route })
  const classes = classifyByHosts(parseAddress(`a@${domain}`), mailHostsOf(facts.route))
  const catchAll = domainCatchAll(decided.map((result) => reassess(result, parseAddress(result.address))))
  return { facts, classes, formats, statuses, catchAll }
}

/** The number of known domains in the comparison. */
const SAMPLE = 2_000

/** Groups known domains by operator, age and size. */
export async function listCohorts(ctx: Context): Promise<{ compared: number; cohorts: Cohort[] }> {
  const all = await traitsOfKnown(ctx)
  return { compared: all.length, cohorts: groupCohorts(all) }
}

/** Compares a domain with the most similar domains. */
export async function compareDomain(ctx: Context, domain: string) {
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

/** Finds the DKIM keys of a domain by every known selector, and stores them as the domain's fact for other answers. */
export async function checkDkim(ctx: Context, domain: string): Promise<Dkim | null> {
  const dkim = await findAllDkim(ctx.dns, domain)
  const checkedAt = ctx.clock.now()
  const expiresAt = checkedAt + factLifetimeMs("dkim", dkim)
  if (dkim) ctx.background(storeFacts(ctx, domain, { dkim: { value: dkim, checkedAt, expiresAt } }))
  return dkim
}

/** The slowest finder's timeout in ms: a request for a fact waits for it, a verification would not. */
const BUDGET_MS = 9_000

/** Returns facts of a domain by name: stored ones while they are fresh, others fetched now. */
export async function gatherDomain(
  ctx: Context,
  { domain, wanted }: { domain: string; wanted: readonly FactName[] },
): Promise<DomainFacts> {
  const stored = (await ctx.store.resultLists.factsOf([domain])).get(domain) ?? null
  return gatherFacts(ctx, { domain, stored, wanted: new Set(["route", ...wanted]) }).within(BUDGET_MS)
}

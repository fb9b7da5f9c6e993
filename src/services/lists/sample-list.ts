import type { Status } from "../../../schema/vocabulary.ts"
import type { UsageMeter } from "../../adapters/accounts/usage-meter.ts"
import type { Context } from "../../context.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { allocate, project, type Share, sampleSize } from "../../domain/lists/sample-plan.ts"
import { mailHostsOf, operatorOf } from "../../domain/smtp-reply/operators.ts"
import type { Verification } from "../../domain/verification/verification.ts"
import { chargeCredits, countTestAddresses, pricesFor } from "../accounts/charge.ts"
import { factsOfDomains } from "../verification/facts.ts"
import { type ManyInput, verifyMany } from "../verification/verify-many.ts"

export interface SampleProjection {
  readonly total: number
  readonly sampled: number
  readonly shares: readonly Share[]
  readonly strata: readonly { readonly operator: string; readonly total: number; readonly sampled: number }[]
}

/** The most frequent domains. Their operators are resolved, all other domains are one stratum. */
const DOMAINS = 100
const BUDGET_MS = 50_000
const REST = "other domains"
const PROJECTED: readonly Status[] = ["valid", "invalid", "accept_all", "unknown"]

interface Stratum {
  readonly name: string
  readonly size: number
  /** Its domains. The last stratum has all other domains instead. */
  readonly domains: readonly string[]
  readonly isRest: boolean
}

/** Verifies and charges a small stratified sample of a received list and projects the whole list from it. */
export async function sampleList(
  ctx: Context,
  meter: UsageMeter,
  { jobId, accountId, total, smtp }: { jobId: string; accountId: string; total: number; smtp: boolean },
): Promise<SampleProjection> {
  const deadlineAt = ctx.clock.now() + BUDGET_MS
  const { strata, malformed } = await stratify(ctx, { jobId, total, deadlineAt })
  const counts = allocate(strata, sampleSize(total - malformed))
  const picked = await Promise.all(
    strata.map((stratum, n) => ctx.store.jobIntake.pick(jobId, { ...stratum, count: counts[n]! })),
  )
  const verified = await verifySample(ctx, meter, {
    addresses: picked.flat().map((email) => parseAddress(email)),
    accountId,
    smtp,
    deadlineAt,
  })
  let at = 0
  const sampled = strata.map(({ size }, n) => {
    const own = verified.slice(at, at + picked[n]!.length)
    at += picked[n]!.length
    return { size, statuses: own.map(({ verdict }) => verdict.status) }
  })
  const wellFormed = (total - malformed) / Math.max(1, total)
  const shares = project(sampled, PROJECTED).map((share) => scale(share, wellFormed))
  const broken = malformed / Math.max(1, total)
  return {
    total,
    sampled: verified.length,
    shares: [...shares, { status: "invalid_syntax", share: broken, low: broken, high: broken }],
    strata: strata.map(({ name, size }, n) => ({ operator: name, total: size, sampled: picked[n]!.length })),
  }
}

async function stratify(
  ctx: Context,
  { jobId, total, deadlineAt }: { jobId: string; total: number; deadlineAt: number },
): Promise<{ strata: Stratum[]; malformed: number }> {
  const counted = await ctx.store.jobIntake.domainCounts(jobId, DOMAINS)
  const malformed = counted.find(({ domain }) => domain === "")?.count ?? 0
  const frequent = counted.filter(({ domain }) => domain !== "")
  const facts = await factsOfDomains(ctx, { domains: frequent.map(({ domain }) => domain), deadlineAt })
  const byOperator = new Map<string, { size: number; domains: string[] }>()
  for (const { domain, count } of frequent) {
    const operator = operatorOf(mailHostsOf(facts.get(domain)?.route)[0])
    const stratum = byOperator.get(operator) ?? { size: 0, domains: [] }
    stratum.size += count
    stratum.domains.push(domain)
    byOperator.set(operator, stratum)
  }
  const named = [...byOperator].map(([name, stratum]) => ({ name, ...stratum, isRest: false }))
  const rest = total - counted.reduce((sum, { count }) => sum + count, 0)
  const known = counted.map(({ domain }) => domain)
  const strata = rest > 0 ? [...named, { name: REST, size: rest, domains: known, isRest: true }] : named
  return { strata: strata.toSorted((a, b) => b.size - a.size), malformed }
}

async function verifySample(
  ctx: Context,
  meter: UsageMeter,
  { addresses, accountId, smtp, deadlineAt }: Pick<ManyInput, "addresses" | "accountId" | "smtp" | "deadlineAt">,
): Promise<Verification[]> {
  if (addresses.length === 0) return []
  const prices = pricesFor(ctx, accountId)
  await countTestAddresses(ctx, meter, addresses.filter(prices.isFree).length)
  return chargeCredits(meter, { most: prices.most(addresses), costOf: prices.of }, () =>
    verifyMany(ctx, { addresses, accountId, smtp, deadlineAt, priority: "interactive", serve: "fresh" }),
  )
}

function scale({ status, share, low, high }: Share, factor: number): Share {
  return { status, share: share * factor, low: low * factor, high: high * factor }
}

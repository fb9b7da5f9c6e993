import type { Status } from "../../../schema/vocabulary.ts"
import type { Deps } from "../../deps.ts"
import { creditsFor } from "../../domain/bulk/credits.ts"
import { allocate, project, type Share, sampleSize } from "../../domain/bulk/sample-plan.ts"
import { mailHostsOf, operatorOf } from "../../domain/mail/operators.ts"
import { CREDITS } from "../../domain/plans/tiers.ts"
import type { Verification } from "../../domain/verdict/verification.ts"
import { charge } from "../accounts/charge.ts"
import { factsOfDomains } from "../verification/facts-of-domains.ts"
import { type VerifyManyNeeds, verifyMany } from "../verification/verify-many.ts"

export type SampleNeeds = VerifyManyNeeds & Pick<Deps, "meter" | "jobIntake">

export interface SampleProjection {
  readonly total: number
  readonly sampled: number
  readonly shares: readonly Share[]
  readonly strata: readonly { readonly operator: string; readonly total: number; readonly sampled: number }[]
}

/** The most frequent domains, whose operators are looked up; all others are one stratum. */
const DOMAINS = 100
const BUDGET_MS = 50_000
const REST = "other domains"
const PROJECTED: readonly Status[] = ["valid", "invalid", "accept_all", "unknown"]

interface Stratum {
  readonly name: string
  readonly size: number
  /** Its domains; for the rest, all others. */
  readonly domains: readonly string[]
  readonly isRest: boolean
}

/** Verifies a small stratified sample of a list that is in, and projects what the whole is made of. Costs what the sample costs. */
export async function sampleList(
  needs: SampleNeeds,
  { jobId, total, smtp }: { jobId: string; total: number; smtp: boolean },
): Promise<SampleProjection> {
  const wallAt = needs.clock.now() + BUDGET_MS
  const { strata, malformed } = await stratify(needs, { jobId, total, wallAt })
  const counts = allocate(strata, sampleSize(total - malformed))
  const picked = await Promise.all(
    strata.map((stratum, n) => needs.jobIntake.pick(jobId, { ...stratum, count: counts[n]! })),
  )
  const verified = await verifySample(needs, { emails: picked.flat(), smtp, wallAt })
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
  needs: SampleNeeds,
  { jobId, total, wallAt }: { jobId: string; total: number; wallAt: number },
): Promise<{ strata: Stratum[]; malformed: number }> {
  const counted = await needs.jobIntake.domainCounts(jobId, DOMAINS)
  const malformed = counted.find(({ domain }) => domain === "")?.count ?? 0
  const frequent = counted.filter(({ domain }) => domain !== "")
  const facts = await factsOfDomains(needs, { domains: frequent.map(({ domain }) => domain), wallAt })
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
  needs: SampleNeeds,
  { emails, smtp, wallAt }: { emails: readonly string[]; smtp: boolean; wallAt: number },
): Promise<Verification[]> {
  if (emails.length === 0) return []
  return charge(needs, { most: emails.length * CREDITS.verification, costOf: creditsFor }, () =>
    verifyMany(needs, { emails, smtp, wallAt, priority: "interactive", serve: "fresh" }),
  )
}

function scale({ status, share, low, high }: Share, factor: number): Share {
  return { status, share: share * factor, low: low * factor, high: high * factor }
}

import { findOperator, mailHostsOf, operatorOf } from "../smtp-reply/operators.ts"
import { dayOf } from "../time.ts"
import type { StoredFacts } from "../verification/evidence.ts"
import type { Verification } from "../verification/verification.ts"

export const AGE_BANDS = ["under_1_year", "1_to_5_years", "5_to_15_years", "over_15_years", "unknown"] as const
type AgeBand = (typeof AGE_BANDS)[number]
export const SIZE_BANDS = ["small", "medium", "large"] as const
type SizeBand = (typeof SIZE_BANDS)[number]

/** The features by which domains are compared. */
export type DomainFeatures = ReturnType<typeof domainFeaturesOf>

/** A group of domains with the same operator, age and size. */
export type Cohort = ReturnType<typeof describe>

const YEAR_MS = 365.25 * 24 * 3_600_000

/** @param addresses number of known addresses of the domain @param now Unix milliseconds */
export function domainFeaturesOf(facts: StoredFacts, addresses: number, now: number) {
  const known = <T>(value: T | null | undefined, test: (value: T) => boolean | null) => (value ? test(value) : null)
  const host = mailHostsOf(facts.route?.value ?? undefined)[0]
  const isGateway = findOperator(host)?.kind === "gateway"
  const sizeBand: SizeBand = isGateway || addresses >= 100 ? "large" : addresses >= 10 ? "medium" : "small"
  return {
    operator: facts.route?.value?.kind === "dns_failure" ? "unknown" : operatorOf(host),
    ageBand: ageBandOf(facts.registration?.value, now),
    sizeBand,
    hasSpf: known(facts.spf?.value, ({ kind }) => kind === "valid"),
    hasDkim: known(facts.dkim?.value, ({ present }) => present),
    hasDmarc: known(facts.dmarc?.value, ({ kind }) => kind === "record"),
    isListed: known(facts.rbl?.value, ({ checked, matched }) => (checked.length > 0 ? matched.length > 0 : null)),
  }
}

function ageBandOf(registration: { kind: string; at?: number } | null | undefined, now: number): AgeBand {
  if (registration?.kind !== "registered" || registration.at === undefined) return "unknown"
  const years = (now - registration.at) / YEAR_MS
  if (years < 1) return "under_1_year"
  if (years < 5) return "1_to_5_years"
  return years < 15 ? "5_to_15_years" : "over_15_years"
}

/** Groups domains by operator, age and size, the largest group first. */
export function groupCohorts(all: readonly DomainFeatures[]): Cohort[] {
  const groups = Map.groupBy(all, ({ operator, ageBand, sizeBand }) => `${operator} ${ageBand} ${sizeBand}`)
  return [...groups.values()].map(describe).toSorted((a, b) => b.domains - a.domains)
}

/** Returns the most similar domains: of the same operator, age and size, or of the operator alone when too few. */
export function cohortOf({ operator, ageBand, sizeBand }: DomainFeatures, all: readonly DomainFeatures[]) {
  const sameOperator = all.filter((other) => other.operator === operator)
  const similar = sameOperator.filter((other) => other.ageBand === ageBand && other.sizeBand === sizeBand)
  const isWidened = similar.length < MIN_COHORT
  return { ...describe(isWidened ? sameOperator : similar), operator, ageBand, sizeBand, isWidened }
}

/** A smaller cohort is not representative. */
const MIN_COHORT = 5

function describe(members: readonly DomainFeatures[]) {
  /** Of the domains for which the fact is known; null when it is known for none. */
  const share = (feature: "hasSpf" | "hasDkim" | "hasDmarc" | "isListed") => {
    const known = members.map((member) => member[feature]).filter((value) => value !== null)
    return known.length === 0 ? null : known.filter(Boolean).length / known.length
  }
  const { operator = "none", ageBand = "unknown", sizeBand = "small" } = members[0] ?? {}
  return {
    operator,
    ageBand,
    sizeBand,
    domains: members.length,
    spf: share("hasSpf"),
    dkim: share("hasDkim"),
    dmarc: share("hasDmarc"),
    listed: share("isListed"),
  }
}

/** Whether a domain accepts every address, by the stored probes of its mailboxes. */
export interface DomainCatchAll {
  /** Null without a conclusive probe. */
  readonly isCatchAll: boolean | null
  /** UTC day of the deciding probe. A more exact time could identify a verification. */
  readonly day: string | null
  /** Number of conclusive probes. */
  readonly probes: number
}

/** Combines results of a domain's addresses. The newest conclusive probe decides, because a server can change. */
export function domainCatchAll(
  results: readonly Pick<Verification, "evidence" | "verdict" | "verifiedAt">[],
): DomainCatchAll {
  const found = results
    .map((result) => ({ isCatchAll: conclusionOf(result), at: result.verifiedAt }))
    .filter(({ isCatchAll }) => isCatchAll !== null)
    .toSorted((a, b) => b.at - a.at)
  const newest = found[0]
  return { isCatchAll: newest?.isCatchAll ?? null, day: newest ? dayOf(newest.at) : null, probes: found.length }
}

/** A server that refuses one mailbox as missing does not accept every address. */
function conclusionOf({ evidence, verdict }: Pick<Verification, "evidence" | "verdict">): boolean | null {
  if (!evidence.mailbox || evidence.mailbox.isPrivate) return null
  return verdict.reply?.class === "mailbox_missing" ? false : verdict.isCatchAll
}

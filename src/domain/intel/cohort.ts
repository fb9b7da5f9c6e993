import { findOperator, mailHostsOf, operatorOf } from "../mail/operators.ts"
import type { KeptFacts } from "../verdict/evidence.ts"

export const AGE_BANDS = ["under_1_year", "1_to_5_years", "5_to_15_years", "over_15_years", "unknown"] as const
type AgeBand = (typeof AGE_BANDS)[number]
export const SIZE_BANDS = ["small", "medium", "large"] as const
type SizeBand = (typeof SIZE_BANDS)[number]

/** What a domain is like, as far as domains are compared by it. */
export interface Traits {
  readonly operator: string
  readonly ageBand: AgeBand
  readonly sizeBand: SizeBand
  readonly hasSpf: boolean | null
  readonly hasDkim: boolean | null
  readonly hasDmarc: boolean | null
  readonly isListed: boolean | null
}

/** Domains of one operator, age and size, and what they have in common. */
export interface Cohort {
  readonly operator: string
  readonly ageBand: AgeBand
  readonly sizeBand: SizeBand
  readonly domains: number
  /** Shares among the domains where it is known; null where it is known of none. */
  readonly spf: number | null
  readonly dkim: number | null
  readonly dmarc: number | null
  readonly listed: number | null
}

const YEAR_MS = 365.25 * 24 * 3_600_000

/** @param addresses how many addresses of the domain are known @param now Unix milliseconds */
export function traitsOf(facts: KeptFacts, addresses: number, now: number): Traits {
  const known = <T>(value: T | null | undefined, test: (value: T) => boolean) => (value ? test(value) : null)
  const host = mailHostsOf(facts.route?.value ?? undefined)[0]
  const isGateway = findOperator(host)?.kind === "gateway"
  return {
    operator: facts.route?.value?.kind === "dns_failure" ? "unknown" : operatorOf(host),
    ageBand: ageBandOf(facts.registration?.value, now),
    sizeBand: isGateway || addresses >= 100 ? "large" : addresses >= 10 ? "medium" : "small",
    hasSpf: known(facts.spf?.value, ({ kind }) => kind === "valid"),
    hasDkim: known(facts.dkim?.value, ({ present }) => present),
    hasDmarc: known(facts.dmarc?.value, ({ kind }) => kind === "record"),
    isListed: known(facts.rbl?.value, ({ matched }) => matched.length > 0),
  }
}

function ageBandOf(registration: { kind: string; at?: number } | null | undefined, now: number): AgeBand {
  if (registration?.kind !== "registered" || registration.at === undefined) return "unknown"
  const years = (now - registration.at) / YEAR_MS
  if (years < 1) return "under_1_year"
  if (years < 5) return "1_to_5_years"
  return years < 15 ? "5_to_15_years" : "over_15_years"
}

/** Groups domains by operator, age and size; the largest group first. */
export function groupCohorts(all: readonly Traits[]): Cohort[] {
  const groups = Map.groupBy(all, ({ operator, ageBand, sizeBand }) => `${operator} ${ageBand} ${sizeBand}`)
  return [...groups.values()].map(describe).toSorted((a, b) => b.domains - a.domains)
}

/** The domains most like this one: of its operator, age and size, or of its operator alone when those are too few. */
export function cohortOf(own: Traits, all: readonly Traits[]): Cohort & { readonly isWidened: boolean } {
  const sameOperator = all.filter(({ operator }) => operator === own.operator)
  const alike = sameOperator.filter(({ ageBand, sizeBand }) => ageBand === own.ageBand && sizeBand === own.sizeBand)
  const isWidened = alike.length < ENOUGH
  const { operator, ageBand, sizeBand } = own
  return { ...describe(isWidened ? sameOperator : alike), operator, ageBand, sizeBand, isWidened }
}

/** Fewer than this say nothing about their kind. */
const ENOUGH = 5

function describe(members: readonly Traits[]): Cohort {
  const share = (trait: "hasSpf" | "hasDkim" | "hasDmarc" | "isListed") => {
    const known = members.map((member) => member[trait]).filter((value) => value !== null)
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

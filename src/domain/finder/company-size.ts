import { findOperator, mailHostsOf } from "../smtp-reply/operators.ts"
import type { MailRoute } from "../verdict/evidence.ts"
import type { CompanySize } from "./priors.ts"

/** A possible size of a company. */
export interface PossibleSize {
  /** Number of people who have or had an address: servers often accept mail for people who left. */
  readonly people: number
  readonly size: CompanySize
  readonly probability: number
}

/**
 * The prior. Most companies are tiny, but half of all employees work at companies above 500 people, and callers look for
 * people. The last row covers all larger companies.
 */
const PRIOR: readonly PossibleSize[] = [
  { people: 5, size: "small", probability: 0.08 },
  { people: 25, size: "small", probability: 0.14 },
  { people: 100, size: "medium", probability: 0.18 },
  { people: 400, size: "medium", probability: 0.18 },
  { people: 1_500, size: "large", probability: 0.18 },
  { people: 5_000, size: "large", probability: 0.24 },
]

type Odds = Readonly<Record<CompanySize, number>>

/** How much more likely a company of each size is a customer of the operator. A gateway's customers are large. */
const BY_OPERATOR: Readonly<Record<string, Odds>> = {
  google: { small: 1.5, medium: 1, large: 0.5 },
  microsoft365: { small: 0.7, medium: 1.3, large: 1.2 },
}
const BEHIND_GATEWAY: Odds = { small: 0.1, medium: 0.7, large: 2 }
const UNKNOWN_OPERATOR: Odds = { small: 1, medium: 1, large: 1 }

/**
 * Estimates the size of a company by its mail operator and the number of its known people: a company has at least as
 * many. @param route undefined when unknown. @returns the possible sizes in ascending order, with probabilities that add up to one
 */
export function possibleSizes(knownPeople: number, route: MailRoute | undefined): PossibleSize[] {
  const operator = findOperator(mailHostsOf(route)[0])
  const odds = operator?.kind === "gateway" ? BEHIND_GATEWAY : (BY_OPERATOR[operator?.name ?? ""] ?? UNKNOWN_OPERATOR)
  const possible = PRIOR.filter(({ people }, at) => people >= knownPeople || at === PRIOR.length - 1)
  const total = possible.reduce((sum, { size, probability }) => sum + probability * odds[size], 0)
  return possible.map((one) => ({ ...one, probability: (one.probability * odds[one.size]) / total }))
}

/** Returns the median of the possible sizes. */
export function medianSize(sizes: readonly PossibleSize[]): PossibleSize {
  let upTo = 0
  for (const one of sizes) {
    upTo += one.probability
    if (upTo >= 0.5) return one
  }
  return sizes.at(-1)!
}

/** What is true of a sandbox address, whatever a verifier says. */
export type Truth =
  /** Ordinary mail to the address arrives. */
  | "exists"
  /** No mail to the address can arrive, now or later. */
  | "missing"
  /** One call from one sender cannot find out: a refusal of the sender, a temporary failure, a catch-all domain. */
  | "cannot be known"

/** What a verifier says, in the words that all of them share. */
export type Verdict = "deliverable" | "undeliverable" | "unknown"

export type Outcome =
  | "right"
  /** Unknown where the truth was available. */
  | "cautious"
  /** Deliverable where nothing shows it. */
  | "unproven"
  /** A good or possibly good address is given up, or a missing one is called deliverable. */
  | "grave"

export const OUTCOMES: Readonly<Record<Truth, Readonly<Record<Verdict, Outcome>>>> = {
  exists: { deliverable: "right", unknown: "cautious", undeliverable: "grave" },
  missing: { undeliverable: "right", unknown: "cautious", deliverable: "grave" },
  "cannot be known": { unknown: "right", deliverable: "unproven", undeliverable: "grave" },
}

export interface Answer {
  readonly address: string
  readonly verdict: Verdict
  /** The verifier's own words. */
  readonly raw: string
}

export interface ScoredAnswer extends Answer {
  readonly truth: Truth
  readonly outcome: Outcome
}

/** @throws Error when `truths` lacks an address */
export function score(answers: readonly Answer[], truths: Readonly<Record<string, Truth>>): ScoredAnswer[] {
  return answers.map((answer) => {
    const truth = truths[answer.address]
    if (!truth) throw new Error(`${answer.address}: add its truth to scripts/bench/peers/truth.ts`)
    return { ...answer, truth, outcome: OUTCOMES[truth][answer.verdict] }
  })
}

export function countOutcomes(answers: readonly ScoredAnswer[]): Record<Outcome, number> {
  const counts = { right: 0, cautious: 0, unproven: 0, grave: 0 }
  for (const { outcome } of answers) counts[outcome]++
  return counts
}

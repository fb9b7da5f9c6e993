import { TIERS, type Tier } from "../../../schema/vocabulary.ts"

/** A paid-for subscription keeps its plan while the processor still tries to collect. */
const IN_FORCE: ReadonlySet<string> = new Set(["active", "trialing", "past_due"])

interface Subscription {
  readonly status: string
  readonly tier: Tier
}

/** The plan an account's subscriptions give it: the highest in force, else free. */
export function planOf(subscriptions: readonly Subscription[]): Tier {
  const ranks = subscriptions.filter(({ status }) => IN_FORCE.has(status)).map(({ tier }) => TIERS.indexOf(tier))
  return TIERS[Math.max(0, ...ranks)]!
}

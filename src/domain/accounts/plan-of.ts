import { TIERS, type Tier } from "../../../schema/vocabulary.ts"

/** A past-due subscription keeps its plan while the payment processor still tries to collect. */
const ACTIVE: ReadonlySet<string> = new Set(["active", "trialing", "past_due"])

interface Subscription {
  readonly status: string
  readonly tier: Tier
}

/** Whether a subscription pays for its plan now. */
export const isRunning = ({ status }: Pick<Subscription, "status">): boolean => ACTIVE.has(status)

/** The highest plan of an account's active subscriptions, else free. */
export function planOf(subscriptions: readonly Subscription[]): Tier {
  const ranks = subscriptions.filter(isRunning).map(({ tier }) => TIERS.indexOf(tier))
  return TIERS[Math.max(0, ...ranks)]!
}

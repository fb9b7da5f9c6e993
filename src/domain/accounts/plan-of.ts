import { TIERS, type Tier } from "../../../schema/vocabulary.ts"

/**
 * States of a subscription that pays for its plan now. A past-due one keeps its plan while the payment processor still
 * tries to collect.
 */
export const RUNNING_STATES = ["active", "trialing", "past_due"] as const
const RUNNING: ReadonlySet<string> = new Set(RUNNING_STATES)

interface Subscription {
  readonly status: string
  readonly tier: Tier
}

/** Whether a subscription pays for its plan now. */
export const isRunning = ({ status }: Pick<Subscription, "status">): boolean => RUNNING.has(status)

/**
 * Returns the plan in force: the highest of the running subscriptions and the operator's grant, else free.
 * @param granted null without a grant
 */
export function planOf(subscriptions: readonly Subscription[], granted: Tier | null): Tier {
  const paid = subscriptions.filter(isRunning).map(({ tier }) => tier)
  const ranks = [...paid, granted ?? "free"].map((tier) => TIERS.indexOf(tier))
  return TIERS[Math.max(...ranks)]!
}

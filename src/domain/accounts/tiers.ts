import { LISTED_TIERS, TIERS, type Tier } from "../../../schema/vocabulary.ts"
import type { Verification } from "../verification/verification.ts"

/** Limits of a tier; null is unlimited. */
export interface Allowance {
  readonly perMonth: number | null
  readonly perMinute: number | null
}

export type ListedTier = (typeof LISTED_TIERS)[number]

/** The limits of a variant of the API, and which tiers it lists. Another tier counts as free, except the operator's. */
export interface Limits {
  readonly table: LimitTable
  readonly tiers: readonly ListedTier[]
}

/** The tier that counts under a variant. */
export function tierIn({ tiers }: Pick<Limits, "tiers">, tier: Tier): Tier {
  return tier === "unlimited" || tiers.includes(tier) ? tier : "free"
}

type LimitTable = Readonly<Record<Tier, Allowance>>

/** Only the operator gives this tier, for example to the owner of the service. */
const unlimited: Allowance = { perMonth: null, perMinute: null }

/** Both limit tables of the API ("Limits"). The default are key tiers; `LIMITS=plans` selects the plans. */
export const LIMIT_TABLES = {
  tiers: {
    free: { perMonth: 100, perMinute: 10 },
    starter: { perMonth: 1_000, perMinute: 30 },
    pro: { perMonth: 10_000, perMinute: 100 },
    enterprise: { perMonth: null, perMinute: 500 },
    unlimited,
  },
  plans: {
    free: { perMonth: 10_000, perMinute: 200 },
    starter: { perMonth: 10_000, perMinute: 200 },
    pro: { perMonth: 500_000, perMinute: 2_000 },
    enterprise: { perMonth: null, perMinute: null },
    unlimited,
  },
} as const satisfies Record<string, LimitTable>

export const LIMIT_TIERS: Readonly<Record<keyof typeof LIMIT_TABLES, readonly ListedTier[]>> = {
  tiers: LISTED_TIERS,
  plans: ["free", "pro", "enterprise"],
}

/** Numbers of an operator for some tiers. A number that is missing stays. */
type LimitChanges = Readonly<Partial<Record<ListedTier, Partial<Allowance>>>>

/** The tiers with the operator's numbers. */
export function limitsOf(variant: keyof typeof LIMIT_TABLES, changes: LimitChanges = {}): Limits {
  const table: LimitTable = LIMIT_TABLES[variant]
  const changed = Object.entries(changes).map(([tier, numbers]) => [tier, { ...table[tier as Tier], ...numbers }])
  return { table: { ...table, ...Object.fromEntries(changed) }, tiers: LIMIT_TIERS[variant] }
}

/** Tiers whose lists get a larger share of the queue, and the factor (src/domain/lists/job.ts). */
export const PRIORITY: Readonly<Record<Tier, number>> = { free: 1, starter: 1, pro: 2, enterprise: 2, unlimited: 2 }

/** What a tier has that the tier before it lacks, in words. */
export function advantagesOf({ table, tiers }: Limits, tier: ListedTier): string[] {
  const { perMonth, perMinute } = table[tier]
  const before = tiers[tiers.indexOf(tier) - 1]
  const amount = (limit: number | null) => limit?.toLocaleString("en") ?? "unlimited"
  return [
    ...(!before || table[before].perMonth !== perMonth ? [`${amount(perMonth)} credits a month`] : []),
    ...(!before || table[before].perMinute !== perMinute ? [`${amount(perMinute)} requests a minute`] : []),
    ...(before && PRIORITY[before] < PRIORITY[tier] ? ["priority in the queue of lists"] : []),
  ]
}

/** Credit prices, as the API documents them. */
export const CREDITS = { verification: 1, breach: 1, find: 5 } as const

/** Credits that a caller can still use: the rest of the month and bought ones. Null when unlimited. */
export function availableOf({ limit, used, bought }: { limit: number | null; used: number; bought: number | null }) {
  return limit === null ? null : Math.max(0, limit - used) + (bought ?? 0)
}

/** Whether an account of `plan` may have keys of `tier`. */
export function allowsTier(plan: Tier, tier: Tier): boolean {
  return TIERS.indexOf(plan) >= TIERS.indexOf(tier)
}

/** UTC month of a time, the billing period: "2026-11". @param now Unix milliseconds */
export function periodOf(now: number): string {
  return new Date(now).toISOString().slice(0, 7)
}

/** Whole seconds until the next period begins, at least 1. @param now Unix milliseconds */
export function secondsToNextPeriod(now: number): number {
  const date = new Date(now)
  const next = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
  return Math.max(1, Math.ceil((next - now) / 1000))
}

/** States of a subscription that pays for its plan now, also while the processor still tries to collect. */
export const RUNNING_STATES = ["active", "trialing", "past_due"] as const
const RUNNING: ReadonlySet<string> = new Set(RUNNING_STATES)

interface Subscription {
  readonly status: string
  readonly tier: Tier
}

export const isRunning = ({ status }: Pick<Subscription, "status">): boolean => RUNNING.has(status)

/** The active plan: the highest of the running subscriptions and the operator's grant, else free. */
export function planOf(subscriptions: readonly Subscription[], granted: Tier | null): Tier {
  const paid = subscriptions.filter(isRunning).map(({ tier }) => tier)
  const ranks = [...paid, granted ?? "free"].map((tier) => TIERS.indexOf(tier))
  return TIERS[Math.max(...ranks)]!
}

/** Credits for verifications. Cached and unknown results and malformed addresses are free. */
export function creditsFor(verifications: readonly Verification[]): number {
  const isFree = ({ cached, verdict: { status } }: Verification) =>
    cached || status === "unknown" || status === "invalid_syntax"
  return verifications.filter((one) => !isFree(one)).length * CREDITS.verification
}

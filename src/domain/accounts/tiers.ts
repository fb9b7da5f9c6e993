import { TIERS, type Tier } from "../../../schema/vocabulary.ts"

/** Limits of a tier; null is unlimited. */
export interface Allowance {
  readonly perMonth: number | null
  readonly perMinute: number | null
}

export type LimitTable = Readonly<Record<Tier, Allowance>>

/** Both limit tables of the API ("Limits"). The default are key tiers; `LIMITS=plans` selects the plans. */
export const LIMIT_TABLES = {
  tiers: {
    free: { perMonth: 100, perMinute: 10 },
    starter: { perMonth: 1_000, perMinute: 30 },
    pro: { perMonth: 10_000, perMinute: 100 },
    enterprise: { perMonth: null, perMinute: 500 },
  },
  plans: {
    free: { perMonth: 10_000, perMinute: 200 },
    starter: { perMonth: 10_000, perMinute: 200 },
    pro: { perMonth: 500_000, perMinute: 2_000 },
    enterprise: { perMonth: null, perMinute: null },
  },
} as const satisfies Record<string, LimitTable>

/** Credit prices, as the API documents them. */
export const CREDITS = { verification: 1, breach: 1, find: 5 } as const

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

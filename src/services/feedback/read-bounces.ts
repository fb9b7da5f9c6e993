import type { DailyKind, DomainKind } from "../../adapters/store/suppression/feedback.ts"
import type { Context } from "../../context.ts"
import type { KindCount } from "../../domain/suppression/feedback.ts"
import { DAY_MS, dayOf } from "../../domain/time.ts"

const DAYS = 30
const TOP_DOMAINS = 10

/** Feedback as the bounce statistics need it. */
export interface Bounces {
  readonly counts: readonly KindCount[]
  /** Of the last 30 days. */
  readonly daily: readonly DailyKind[]
  /** Domains with the most hard bounces. */
  readonly domains: readonly DomainKind[]
}

/** Reads the bounces of an account. @param accountId null for the sums of all accounts */
export async function readBounces(ctx: Context, accountId: string | null): Promise<Bounces> {
  const { feedback } = ctx.store
  const since = dayOf(ctx.clock.now() - (DAYS - 1) * DAY_MS)
  const [counts, daily, domains] = await Promise.all([
    feedback.counts(accountId),
    feedback.daily(accountId, since),
    feedback.topDomains(accountId, "hard_bounce", TOP_DOMAINS),
  ])
  return { counts, daily, domains }
}

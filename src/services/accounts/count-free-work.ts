import type { Context } from "../../context.ts"
import { subjectOf } from "../../domain/accounts/caller.ts"
import {
  type CountedRow,
  type FixedWork,
  FREE_WORK,
  freeRate,
  type PlanWork,
  type SubjectOf,
} from "../../domain/accounts/free-work.ts"
import { tooMany } from "../../errors.ts"

type Limiters = Pick<Context, "keyLimiters" | "memoryRateLimiter">

/**
 * Counts work that costs no credit, or `n` units at once. Its limits are in src/domain/accounts/free-work.ts.
 * @param subject the id that the row counts for, or the caller where the plan sets the limit
 * @throws AppError rate_limited with the time to wait
 */
export async function countFreeWork<Work extends FixedWork | PlanWork>(
  ctx: Limiters,
  work: Work,
  subject: SubjectOf<Work>,
  n = 1,
): Promise<void> {
  const waitMs = await reserveFreeWork(ctx, work, subject, n)
  if (waitMs !== null) throw tooMany(Math.ceil(waitMs / 1000))
}

/** The same without an error. @returns null when the work is allowed and counted, else the milliseconds to wait */
export async function reserveFreeWork<Work extends FixedWork | PlanWork>(
  ctx: Limiters,
  work: Work,
  subject: SubjectOf<Work>,
  n = 1,
): Promise<number | null> {
  const row: CountedRow = FREE_WORK[work]
  const rate = freeRate(row, subject)
  const name = `${row.limiter}:${typeof subject === "string" ? subject : subjectOf(subject)}`
  if (row.place === "isolate") return ctx.memoryRateLimiter.reserve(name, n, rate.limit) ? null : rate.windowMs
  const counted = await ctx.keyLimiters.ofAction(name).count(rate, n)
  return counted.admitted ? null : counted.retryAfterMs
}

import type { Context } from "../../context.ts"
import { type Anonymous, clientNetworks, limitSubjectOf } from "../../domain/accounts/caller.ts"
import { type CountedRow, FREE_WORK } from "../../domain/accounts/free-work.ts"
import { type FixedWork, freeRate, type PlanWork, type SubjectOf } from "../../domain/accounts/rate-limits.ts"
import { HOUR_MS } from "../../domain/time.ts"
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
  if (waitMs !== null) throw tooMany(Math.ceil(waitMs / 1000), "free_work_exceeded")
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
  const name = `${row.limiter}:${typeof subject === "string" ? subject : limitSubjectOf(subject)}`
  if (row.place === "isolate") return ctx.memoryRateLimiter.reserve(name, n, rate.limit) ? null : rate.windowMs
  const counted = await ctx.keyLimiters.ofAction(name).count(rate, n)
  return counted.accepted ? null : counted.retryAfterMs
}

/**
 * Counts work of a client without an account, for its network and for the wider networks that an IPv6 customer holds.
 * @throws AppError rate_limited
 */
export async function countNetworkWork(
  ctx: Limiters & Pick<Context, "digests">,
  work: FixedWork,
  clientIp: string | undefined,
): Promise<void> {
  const { limiter, limit, windowMs }: CountedRow & { limit: number } = FREE_WORK[work]
  for (const { network, times } of clientNetworks(clientIp)) {
    const name = `${limiter}:${await networkSubject(ctx, network)}`
    const counted = await ctx.keyLimiters.ofAction(name).count({ limit: limit * times, windowMs })
    if (!counted.accepted) throw tooMany(Math.ceil(counted.retryAfterMs / 1000), "free_work_exceeded")
  }
}

/** The limits of anonymous callers are those of a /64. An hour of a /56 has the credits of its month, that of a /48 four times. */
const HOUR_SHARE = 1 / 4

/** Counts a call without a key for the wider networks of an IPv6 client. @throws AppError rate_limited */
export async function countWiderNetworks(
  ctx: Limiters & Pick<Context, "digests">,
  { allowance: { perMonth } }: Anonymous,
  clientIp: string | undefined,
): Promise<void> {
  if (perMonth === null) return
  for (const { network, times } of clientNetworks(clientIp).slice(1)) {
    const name = `anonymous:${await networkSubject(ctx, network)}`
    const rate = { limit: Math.ceil(perMonth * times * HOUR_SHARE), windowMs: HOUR_MS }
    const counted = await ctx.keyLimiters.ofAction(name).count(rate)
    if (!counted.accepted) throw tooMany(Math.ceil(counted.retryAfterMs / 1000), "rate_limited")
  }
}

/** A network as the subject of limits: never the address itself. */
export async function networkSubject({ digests }: Pick<Context, "digests">, network: string): Promise<string> {
  return `ip:${(await digests.of("network", network)).slice(0, 32)}`
}

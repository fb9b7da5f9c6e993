import type { Context } from "../../context.ts"
import {
  type Anonymous,
  clientNetwork,
  clientNetworks,
  limitSubjectOf,
  UNKNOWN_NETWORK,
} from "../../domain/accounts/caller.ts"
import { type CountedRow, FREE_WORK } from "../../domain/accounts/free-work.ts"
import {
  type FixedWork,
  freeRate,
  type PlanWork,
  type Rate,
  type SubjectOf,
} from "../../domain/accounts/rate-limits.ts"
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
  const name = typeof subject === "string" ? subject : limitSubjectOf(subject)
  return reserve(ctx, row, { subject: name, rate: freeRate(row, subject), n })
}

async function reserve(
  ctx: Limiters,
  { limiter, place }: CountedRow,
  { subject, rate, n }: { readonly subject: string; readonly rate: Rate; readonly n: number },
): Promise<number | null> {
  const name = `${limiter}:${subject}`
  if (place === "isolate") return ctx.memoryRateLimiter.reserve(name, n, rate.limit) ? null : rate.windowMs
  const counted = await ctx.keyLimiters.ofAction(name).count(rate, n)
  return counted.accepted ? null : counted.retryAfterMs
}

/**
 * Counts work of a client without an account, for its network and for the wider networks that an IPv6 customer holds.
 * @param ofUnknown the row of all clients without a known network together, where it is another one
 * @throws AppError rate_limited
 */
export async function countNetworkWork(
  ctx: Limiters & Pick<Context, "digests">,
  work: FixedWork,
  clientIp: string | undefined,
  ofUnknown: FixedWork = work,
): Promise<void> {
  const isUnknown = clientNetwork(clientIp) === UNKNOWN_NETWORK
  const row: CountedRow & { limit: number } = FREE_WORK[isUnknown ? ofUnknown : work]
  for (const { network, times } of clientNetworks(clientIp)) {
    const rate = { limit: row.limit * times, windowMs: row.windowMs }
    const waitMs = await reserve(ctx, row, { subject: await networkSubject(ctx, network), rate, n: 1 })
    if (waitMs !== null) throw tooMany(Math.ceil(waitMs / 1000), "free_work_exceeded")
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

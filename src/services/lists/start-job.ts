import type { UsageMeter } from "../../adapters/accounts/usage-meter.ts"
import type { JobOptions } from "../../adapters/store/lists/job-intake.ts"
import type { Context } from "../../context.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { freeShare, freeUnits } from "../../domain/accounts/rate-limits.ts"
import { CREDITS, periodOf, secondsToNextPeriod } from "../../domain/accounts/tiers.ts"
import { counted } from "../../domain/counted.ts"
import { allocateChunks } from "../../domain/lists/job.ts"
import { AppError, creditsExhausted, monthExceeded } from "../../errors.ts"
import { countTestAddresses, recallLeases } from "../accounts/charge.ts"
import { countFreeWork } from "../accounts/count-free-work.ts"
import type { Receiving } from "./receive-job.ts"

/** Reserves a received list's highest cost and releases the job. @throws AppError rate_limited, unavailable */
export async function startReceived(
  ctx: Context,
  meter: UsageMeter,
  { receiving, options }: { receiving: Pick<Receiving, "jobId" | "price" | "start">; options: JobOptions },
): Promise<void> {
  const { jobId, price } = receiving
  const { payable, free } = await ctx.store.jobIntake.priced(jobId, price)
  await countTestAddresses(ctx, meter, free)
  const charge = await meter.reserve(payable * CREDITS.verification, { kind: "job", chargeId: jobId })
  try {
    if (!(await receiving.start(options)))
      throw new AppError("unavailable", "the list took too long to arrive; send it again")
  } catch (error) {
    await charge.settle(0)
    throw error
  }
  ctx.background(dispatchChunks(ctx))
}

/** What the caller can still pay for. */
export interface ListAllowance {
  readonly addresses: number
  /** The most lines of a list. Free lines (duplicates, malformed addresses) are stored too. */
  readonly lines: number
  /** Counts the text and the lines that are about to be stored. @throws AppError rate_limited */
  countStored(characters: number, lines: number): Promise<void>
  /** The error when the caller cannot pay for so many addresses. */
  refusal(addresses: number): AppError
}

/** Stored characters of a line's row and result, beside its text. */
const CHARACTERS_OF_LINE = 700

/**
 * Returns what the caller can pay for, from the month's limit or from bought credits, never from both. The reservation
 * decides later. This check rejects a list before it is stored.
 */
export async function allowanceOf(
  ctx: Context,
  { accountId, subject, keyId, allowance }: Member,
): Promise<ListAllowance> {
  const now = ctx.clock.now()
  const { perMonth } = allowance
  const secondsToNextMonth = secondsToNextPeriod(now)
  const endless = Number.POSITIVE_INFINITY
  if (perMonth === null)
    return { addresses: endless, lines: endless, countStored: async () => undefined, refusal: creditsExhausted }
  await recallLeases(ctx, [subject])
  const [used, credits] = await Promise.all([
    ctx.store.charges.countedFor({ subject, keyId, period: periodOf(now) }),
    ctx.store.charges.creditsOf(subject),
  ])
  const addresses = Math.max(perMonth - used, credits ?? 0) / CREDITS.verification
  const lines = freeShare("listLines", addresses)
  let beyond = -freeShare("listCharacters", addresses)
  const millions = () => freeUnits("listText", Math.max(0, beyond))
  const countStored = async (characters: number, lines: number) => {
    const counted = millions()
    beyond += characters + CHARACTERS_OF_LINE * lines
    const more = millions() - counted
    if (more > 0) await countFreeWork(ctx, "listText", accountId, more)
  }
  const spent = (requested: number) =>
    monthExceeded({ limit: perMonth, used, requested: requested * CREDITS.verification, secondsToNextMonth, now })
  return { addresses, lines, countStored, refusal: credits === null ? spent : creditsExhausted }
}

/** The error for a list with more lines than the credits allow. */
export function tooManyLines({ addresses, lines }: ListAllowance): AppError {
  const left = `${counted(addresses, "credit")} left`
  return new AppError(
    "list_too_large",
    `with ${left} a list may have at most ${counted(lines, "line")}, including free lines`,
  )
}

/** Chunks in flight for each probe node, and the largest share of them for one account. */
const IN_FLIGHT = { perNode: 24, maxShareOfAccount: 0.75 } as const

/**
 * Leases the next chunks, shared equally among accounts, and enqueues pointers to them. The limit on chunks in flight
 * lets a new account start before another account's million addresses are done. Safe to call at any time, repeatedly.
 */
export async function dispatchChunks(ctx: Context): Promise<number> {
  const { clock, chunkQueue, probes } = ctx
  const { jobChunks } = ctx.store
  const { bulk } = ctx.config
  const now = clock.now()
  const total = IN_FLIGHT.perNode * Math.max(1, await probes.count(null))
  const waiting = await jobChunks.waiting(now, total)
  const shares = allocateChunks(waiting, { total, perQueue: Math.ceil(total * IN_FLIGHT.maxShareOfAccount) })
  if (shares.size === 0) return 0
  const messages = await jobChunks.lease(shares, { now, leaseUntil: now + bulk.leaseMs })
  try {
    await chunkQueue.send(messages)
  } catch (error) {
    ctx.log("chunk_queue_failed", { error: (error as Error).message })
    await jobChunks.release(messages, now)
  }
  return messages.length
}

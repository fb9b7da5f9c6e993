import { countOrRefuse, creditsExhausted, tooMany } from "../../adapters/keygate/gates.ts"
import type { JobOptions } from "../../adapters/store/job-intake.ts"
import type { Deps } from "../../deps.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { CREDITS, periodOf, secondsToNextPeriod } from "../../domain/plans/tiers.ts"
import { HOUR_MS } from "../../domain/time.ts"
import { AppError } from "../../errors.ts"
import { type DispatchNeeds, dispatchChunks } from "./dispatch-chunks.ts"
import type { Receiving } from "./receive-job.ts"

export type StartNeeds = DispatchNeeds & Pick<Deps, "meter" | "charges" | "gates" | "jobIntake" | "background">

/** Reserves what a list may cost that has been written down, and hands it over to be worked on. @throws AppError rate_limited, unavailable */
export async function startReceived(
  needs: StartNeeds,
  receiving: Pick<Receiving, "jobId" | "start">,
  { total, options }: { total: number; options: JobOptions },
): Promise<void> {
  const { jobId } = receiving
  const payable = total - (await needs.jobIntake.malformed(jobId))
  const charge = await needs.meter.reserve(payable * CREDITS.verification, { kind: "job", chargeId: jobId })
  try {
    if (!(await receiving.start(options)))
      throw new AppError("unavailable", "the list took too long to arrive; send it again")
  } catch (error) {
    await charge.settle(0)
    throw error
  }
  needs.background(dispatchChunks(needs))
}

/** What the caller can still pay for. */
export interface Room {
  readonly addresses: number
  /** Lines a list may have: those that cost nothing, duplicates and malformed ones, are written down and kept as well. */
  readonly lines: number
  /** Counts what is going to be written down of a list: its text, and so many of its lines. @throws AppError rate_limited */
  keep(letters: number, lines: number): Promise<void>
  /** Why there is no more of it. */
  refusal(): AppError
}

/** Lines a list may have for each address that can be paid for, and lines that are never too many. */
const LINES_FOR_EACH = 20
const LINES_AT_LEAST = 10_000
/** What a line's row and result take beside its text. */
const LETTERS_OF_LINE = 700
/** Letters kept for nothing for each address that can be paid for; of all beyond, millions an account's lists may bring an hour. */
const LETTERS_FOR_EACH = 3_000
const MILLIONS = { limit: 60, windowMs: HOUR_MS } as const

/**
 * A charge is taken whole, out of the month or out of bought credits. The reservation decides; this only spares taking a
 * list in vain.
 */
export async function roomOf(
  { charges, clock, gates }: Pick<Deps, "charges" | "clock" | "gates">,
  { accountId, subject, keyId, allowance }: Member,
): Promise<Room> {
  const now = clock.now()
  const { perMonth } = allowance
  const refusing = (why?: string) => () => tooMany(secondsToNextPeriod(now), why)
  const endless = Number.POSITIVE_INFINITY
  if (perMonth === null) return { addresses: endless, lines: endless, keep: async () => undefined, refusal: refusing() }
  const [used, credits] = await Promise.all([
    charges.countedFor({ subject, keyId, period: periodOf(now) }),
    charges.creditsOf(subject),
  ])
  const addresses = Math.max(perMonth - used, credits ?? 0) / CREDITS.verification
  const lines = Math.max(LINES_AT_LEAST, LINES_FOR_EACH * addresses)
  let beyond = -LETTERS_FOR_EACH * addresses
  const millions = () => Math.max(0, Math.ceil(beyond / 1_000_000))
  const keep = async (letters: number, lines: number) => {
    const counted = millions()
    beyond += letters + LETTERS_OF_LINE * lines
    const more = millions() - counted
    if (more > 0) await countOrRefuse(gates.ofAction(`lists:${accountId}`), MILLIONS, more)
  }
  const spent = refusing(`the month's limit of ${perMonth} is reached: ${used} used, this list asks for more`)
  return { addresses, lines, keep, refusal: credits === null ? spent : creditsExhausted }
}

/** A list that is longer than what can be paid for gives a right to. */
export function tooManyLines({ addresses, lines }: Room): AppError {
  const left = `${addresses} ${addresses === 1 ? "credit" : "credits"} left`
  return new AppError("payload_too_large", `with ${left} a list may have at most ${lines} lines, free ones included`)
}

import type { UsageMeter } from "../../adapters/accounts/usage-meter.ts"
import type { Context } from "../../context.ts"
import { isTestAccount, isTestAddress, isTestName } from "../../domain/accounts/test-mode.ts"
import { CREDITS, creditsFor } from "../../domain/accounts/tiers.ts"
import type { ParsedAddress } from "../../domain/address/parse.ts"
import { DAY_MS, MINUTE_MS } from "../../domain/time.ts"
import type { Verification } from "../../domain/verification/verification.ts"
import { countFreeWork } from "./count-free-work.ts"

/** The meter of background work: its credits were reserved by the request before it. */
export const UNMETERED: UsageMeter = {
  subject: null,
  authorize: async () => undefined,
  reserve: async (_, { chargeId = "" } = {}) => ({ chargeId, settle: async () => undefined }),
  state: () => null,
  named: () => UNMETERED,
}

interface Price<T> {
  /** Credits reserved before the work begins. 0 counts the request against the minute limit only. */
  readonly most: number
  /** Credits that the result costs. */
  readonly costOf: (result: T) => number
}

/**
 * What work about addresses costs an account. Addresses of test mode are free. With `npm start` they lead to real SMTP
 * servers and cost credits like any other, so that billing can be tried; only a test key is free there.
 */
export function pricesFor({ config }: Pick<Context, "config">, accountId: string | null) {
  const isTestFree = !config.hasSandbox || isTestAccount(accountId)
  const isFree = (address: ParsedAddress) => isTestFree && isTestAddress(address)
  return {
    isTestFree,
    isFree,
    /** The highest cost of work about one address or domain that costs so many credits elsewhere. */
    ofWork: ({ domain }: { readonly domain: string }, credits: number): number =>
      isTestFree && isTestName(domain) ? 0 : credits,
    /** The highest cost of verifying addresses, in credits. */
    most: (addresses: readonly ParsedAddress[]): number =>
      addresses.filter((address) => !isFree(address)).length * CREDITS.verification,
    /** The cost of verifications that are done. */
    of: (verifications: readonly Verification[]): number =>
      creditsFor(verifications.filter(({ evidence }) => !isFree(evidence.address))),
  }
}

/** Counts addresses of a list that cost nothing because they belong to test mode. @throws AppError rate_limited */
export async function countTestAddresses(ctx: Context, meter: UsageMeter, count: number): Promise<void> {
  if (count > 0 && meter.subject !== null) await countFreeWork(ctx, "testAddresses", meter.subject, count)
}

/** Runs the work within the caller's limits and charges its cost. Failed work costs nothing. */
export async function chargeCredits<T>(
  meter: UsageMeter,
  { most, costOf }: Price<T>,
  work: () => Promise<T>,
): Promise<T> {
  const reserved = await meter.reserve(most)
  let credits = 0
  try {
    const result = await work()
    credits = costOf(result)
    return result
  } finally {
    await reserved.settle(credits)
  }
}

/** Runs free work within the caller's limits. */
export function noCharge<T>(meter: UsageMeter, work: () => Promise<T>): Promise<T> {
  return chargeCredits(meter, { most: 0, costOf: () => 0 }, work)
}

/**
 * Makes the limiters of these accounts return the credits that they hold for later calls. Until then the ledger counts
 * such credits as used, so this precedes each exact reading. A limiter that does not answer returns nothing.
 * @returns whether credits were given back
 */
export async function recallLeases(ctx: Context, subjects: readonly string[]): Promise<boolean> {
  const { leases } = ctx.store
  const open = await leases.openOf(subjects)
  if (open.length === 0) return false
  return ctx.keyLimiters.recall(open, leases).catch(() => false)
}

/** No call runs this long: a reservation of this age is abandoned. */
const ABANDONED_MS = 5 * MINUTE_MS
/** A job's row precedes its charge. A charge without a job row is abandoned. */
const ORPHANED_MS = 60 * MINUTE_MS
/** A limiter uses a lease for minutes. The calls of one that could not be settled for a day are free. */
const LOST_LEASE_MS = DAY_MS

/** Refunds abandoned reservations and deletes stored idempotent answers after a day. */
export async function tidyAccounts(ctx: Context): Promise<void> {
  const now = ctx.clock.now()
  await ctx.store.charges.refundAbandoned({
    call: now - ABANDONED_MS,
    job: now - ORPHANED_MS,
    lease: now - LOST_LEASE_MS,
  })
  await ctx.store.idempotency.deleteBefore(now - DAY_MS)
}

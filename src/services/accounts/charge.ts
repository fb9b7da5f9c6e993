import type { UsageMeter } from "../../adapters/accounts/usage-meter.ts"

/** The meter of background work: its credits were reserved by the request before it. */
export const UNMETERED: UsageMeter = {
  authorize: async () => undefined,
  reserve: async (_, { chargeId = "" } = {}) => ({ chargeId, settle: async () => undefined }),
  state: () => null,
  named: () => UNMETERED,
}

export interface Price<T> {
  /** Credits reserved before the work begins. 0 counts the request against the minute limit only. */
  readonly most: number
  /** Credits that the result costs. */
  readonly costOf: (result: T) => number
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

import type { Deps } from "../../deps.ts"

export interface Price<T> {
  /** Credits that are reserved before the work begins; 0 counts the request a minute only. */
  readonly most: number
  /** Credits that its result is worth. */
  readonly costOf: (result: T) => number
}

/** Does work under the caller's limits, for what it comes to. When it fails it costs nothing. */
export async function charge<T>(
  { meter }: Pick<Deps, "meter">,
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

/** The same for work that is free. */
export function free<T>(needs: Pick<Deps, "meter">, work: () => Promise<T>): Promise<T> {
  return charge(needs, { most: 0, costOf: () => 0 }, work)
}

import type { Status } from "../../../schema/vocabulary.ts"
import { wilson } from "./sample-plan.ts"

/** Number of items by status. */
export type Counts = Readonly<Record<Status, number>>

/** Expected hard bounce rate of a list: the rate of its decided items, with a 95 % Wilson interval. */
export interface Bounce {
  readonly rate: number
  readonly low: number
  readonly high: number
  /** Items known to exist or not. The other items are assumed to bounce at the same rate. */
  readonly decided: number
  readonly expected: number
}

export function bounceOf(counts: Counts): Bounce {
  const bad = counts.invalid + counts.invalid_syntax
  const decided = counts.valid + bad
  const rate = decided === 0 ? 0 : bad / decided
  const all = decided + counts.accept_all + counts.unknown
  return { rate, ...wilson(rate, decided), decided, expected: Math.round(rate * all) }
}

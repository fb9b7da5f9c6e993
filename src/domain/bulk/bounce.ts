import type { Status } from "../../../schema/vocabulary.ts"
import { wilson } from "./sample-plan.ts"

/** Items by status. */
export type Counts = Readonly<Record<Status, number>>

/** Share of hard bounces to expect when all is sent to: that of the decided items, with its 95 % Wilson interval. */
export interface Bounce {
  readonly rate: number
  readonly low: number
  readonly high: number
  /** Items known to exist or not; the others are taken to bounce alike. */
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

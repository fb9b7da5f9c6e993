import type { Status } from "../../../schema/vocabulary.ts"
import { counted } from "../counted.ts"
import { wilson } from "./sample-plan.ts"

/** Number of items by status. */
export type Counts = Readonly<Record<Status, number>>

/** Expected hard bounce rate of a list: the rate of its decided items, with a 95 % Wilson interval. Not of malformed ones. */
export interface Bounce {
  readonly rate: number
  readonly low: number
  readonly high: number
  /** Mailboxes known to exist or not. The other items are assumed to bounce at the same rate. */
  readonly decided: number
  readonly expected: number
}

/** A rate from fewer decided items than this says nothing about a list. */
export const ENOUGH_DECIDED = 30

/** @param counts malformed items count nowhere: no mail system accepts such an address, so nothing can bounce */
export function bounceOf(counts: Counts): Bounce {
  const decided = counts.valid + counts.invalid
  const rate = decided === 0 ? 0 : counts.invalid / decided
  const all = decided + counts.accept_all + counts.unknown
  return { rate, ...wilson(rate, decided), decided, expected: Math.round(rate * all) }
}

/** Levels of the risk; "unknown" when too few addresses are decided. */
export const RISKS = ["unknown", "low", "moderate", "high"] as const

/** The risk for a sender's reputation if the whole list is sent to. */
export interface SendingRisk {
  readonly level: (typeof RISKS)[number]
  readonly reason: string
}

/** Upper bounce rates of each level: mail operators warn above 2 % and slow down or block above 5 %. */
const LEVELS: readonly (readonly [number, SendingRisk["level"]])[] = [
  [0.02, "low"],
  [0.05, "moderate"],
  [1, "high"],
]

/** Judges a list by its expected bounces. */
export function sendingRiskOf({ rate, decided }: Bounce): SendingRisk {
  const basis = `of ${counted(decided, "address", "addresses")} with a clear result`
  if (decided < ENOUGH_DECIDED) return { level: "unknown", reason: `Too few to tell: bounces ${basis} show no rate.` }
  const level = LEVELS.find(([upTo]) => rate <= upTo)![1]
  return { level, reason: `${percent(rate)} ${basis} would bounce.` }
}

function percent(rate: number): string {
  return `${Math.round(rate * 1_000) / 10} %`
}

import type { Caller } from "./caller.ts"
import { type CountedRow, type CreditShare, FREE_WORK } from "./free-work.ts"
import type { Rate } from "./window.ts"

type WorkWithLimit<Limit> = {
  [Name in keyof typeof FREE_WORK]: (typeof FREE_WORK)[Name]["limit"] extends Limit ? Name : never
}[keyof typeof FREE_WORK]

/** Work with a fixed limit. */
export type FixedWork = WorkWithLimit<number>
/** Work whose limit depends on the caller's plan. */
export type PlanWork = WorkWithLimit<{ readonly perRequest: number }>
/** Work whose limit depends on the caller's credits. */
export type CreditWork = WorkWithLimit<CreditShare>
/** The subject of a row: its id, or the caller whose plan sets the limit. */
export type SubjectOf<Work extends FixedWork | PlanWork> = Work extends PlanWork ? Caller : string

/** The rate of a row for a subject. It is unlimited for the operator and for a plan without a limit. */
export function freeRate({ limit, windowMs }: CountedRow, subject: string | Caller): Rate {
  if (typeof limit === "number") return { limit, windowMs }
  const perMinute = typeof subject === "string" || subject.kind === "admin" ? null : subject.allowance.perMinute
  return { limit: limit.perRequest * (perMinute ?? Number.POSITIVE_INFINITY), windowMs }
}

/** What `credits` allow without a charge. */
export function freeShare(work: CreditWork, credits: number): number {
  const { perCredit, base = 0, atLeast = 0, atMost = Number.POSITIVE_INFINITY }: CreditShare = FREE_WORK[work].limit
  return Math.min(atMost, Math.max(atLeast, base + perCredit * credits))
}

/** The number that an amount counts as, in a row that counts groups. */
export function freeUnits(work: "bounceGroups" | "listText" | "readBytes" | "readRows", amount: number): number {
  return Math.ceil(amount / FREE_WORK[work].unit)
}

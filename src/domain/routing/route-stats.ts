import { HOUR_MS } from "../time.ts"
import { decayAfter } from "./decay.ts"
import { type Breaker, newBreaker, recordAnswer, recordBlock } from "./route-breaker.ts"

/** Outcome class of one recipient at a mail operator, as far as it concerns the source IP. */
export type OutcomeClass = "answered" | "missing" | "deferred" | "blocked" | "failed"

export interface Counts {
  answered: number
  /** Answers of "no such mailbox"; included in `answered`. */
  missing: number
  deferred: number
  blocked: number
  failed: number
  totalMs: number
}

export const NO_COUNTS: Readonly<Counts> = { answered: 0, missing: 0, deferred: 0, blocked: 0, failed: 0, totalMs: 0 }

export interface RouteName {
  readonly nodeId: string
  readonly sourceIp: string
  readonly operator: string
}

/** Map key of a route. */
export function routeKey({ nodeId, sourceIp, operator }: RouteName): string {
  return `${nodeId}\n${sourceIp}\n${operator}`
}

/** Statistics of one source IP at one mail operator. Counts decay, so that old blocks expire. */
export interface RouteStats {
  readonly seen: Counts
  /** Counts of all isolates as last read. This isolate's own part is in both. */
  others: Readonly<Counts>
  decayedAt: number
  readonly breaker: Breaker
  /** Highest rate the operator seems to accept; null while it has never blocked. */
  rateCeiling: number | null
  ceilingAt: number
  /** Decayed number of recently probed recipients. */
  rate: number
  rateAt: number
  /** Canaries showed that the operator answers this IP without regard to the recipient. */
  drifted: boolean
}

const HALF_LIFE_MS = 30 * 60_000
/** A block lowers the ceiling to this share of the current rate. Each hour of answers raises it by the second. */
const BACK_OFF = 0.6
const GROWTH_PER_HOUR = 0.1
const MIN_RATE = 1

export function newRouteStats(now: number): RouteStats {
  return {
    seen: { ...NO_COUNTS },
    others: NO_COUNTS,
    decayedAt: now,
    breaker: newBreaker(),
    rateCeiling: null,
    ceilingAt: now,
    rate: 0,
    rateAt: now,
    drifted: false,
  }
}

/** Adds to the counts after their decay. */
function count(stats: RouteStats, counts: Partial<Counts>, now: number): void {
  const share = 0.5 ** (Math.max(0, now - stats.decayedAt) / HALF_LIFE_MS)
  const { seen } = stats
  for (const name of Object.keys(seen) as (keyof Counts)[]) seen[name] = seen[name] * share + (counts[name] ?? 0)
  stats.decayedAt = now
}

/** Records recipients that are about to be probed. */
export function recordRecipients(stats: RouteStats, recipients: number, now: number): void {
  stats.rate = recentRate(stats, now) + recipients
  stats.rateAt = now
}

export function recentRate({ rate, rateAt }: RouteStats, now: number): number {
  return rate * decayAfter(now - rateAt)
}

/**
 * Records an observation. The rate ceiling follows additive increase, multiplicative decrease, as in TCP.
 * @returns whether the observation opened the breaker
 */
export function recordOutcome(stats: RouteStats, { outcomeClass, recipients, ms, now }: Observation): boolean {
  count(stats, countsOf(outcomeClass, recipients, ms), now)
  if (outcomeClass === "blocked") {
    const before = stats.rateCeiling ?? Number.POSITIVE_INFINITY
    // Only the first block of a series reflects the rate that caused it.
    if (stats.breaker.blocks === 0)
      stats.rateCeiling = Math.max(MIN_RATE, Math.min(before, recentRate(stats, now)) * BACK_OFF)
    stats.ceilingAt = now
    return recordBlock(stats.breaker, now)
  }
  if (outcomeClass === "answered" || outcomeClass === "missing") {
    recordAnswer(stats.breaker, now)
    if (stats.rateCeiling !== null) stats.rateCeiling *= (1 + GROWTH_PER_HOUR) ** ((now - stats.ceilingAt) / HOUR_MS)
    stats.ceilingAt = now
  }
  return false
}

export interface Observation {
  readonly outcomeClass: OutcomeClass
  readonly recipients: number
  readonly ms: number
  readonly now: number
}

export function countsOf(outcomeClass: OutcomeClass, recipients: number, ms: number): Partial<Counts> {
  const isAnswer = outcomeClass === "answered" || outcomeClass === "missing"
  return {
    [isAnswer ? "answered" : outcomeClass]: recipients,
    ...(outcomeClass === "missing" ? { missing: recipients } : {}),
    ...(isAnswer ? { totalMs: ms * recipients } : {}),
  }
}

/** Share of recipients that were not blocked, with a prior of four good answers. */
export function acceptance({ seen, others }: RouteStats): number {
  const good = seen.answered + seen.deferred + others.answered + others.deferred + 4
  return good / (good + 2 * (seen.blocked + others.blocked))
}

/** Remaining share of the rate ceiling, 0..1. */
export function budgetLeft(stats: RouteStats, now: number): number {
  return stats.rateCeiling === null ? 1 : Math.max(0, 1 - recentRate(stats, now) / stats.rateCeiling)
}

const SUSPECT = { answers: 20, missingShare: 0.97, restShare: 0.8 } as const

/**
 * Whether the operator may report every recipient as missing to this IP alone: nearly all its answers say so, and its
 * answers to other IPs do not, or are too few to compare. @param all the operator's answers to all IPs, this one included
 */
export function isSuspect({ seen, others, drifted }: RouteStats, all: Pick<Counts, "answered" | "missing">): boolean {
  if (drifted) return true
  const answers = seen.answered + others.answered
  if (answers < SUSPECT.answers || seen.missing + others.missing < SUSPECT.missingShare * answers) return false
  const rest = all.answered - seen.answered
  return rest < SUSPECT.answers || all.missing - seen.missing < SUSPECT.restShare * rest
}

/** Counts with the same decay as those of a route. */
export class DecayingCounts {
  answered = 0
  missing = 0
  #at = 0

  add(counts: Partial<Counts>, now: number): void {
    const share = 0.5 ** (Math.max(0, now - this.#at) / HALF_LIFE_MS)
    this.answered = this.answered * share + (counts.answered ?? 0)
    this.missing = this.missing * share + (counts.missing ?? 0)
    this.#at = now
  }
}

import { HOUR_MS } from "../time.ts"

/** Outcome class of one recipient at a mail operator, as far as it concerns the source IP. */
export type OutcomeClass = "answered" | "missing" | "deferred" | "blocked" | "failed"

/** Recipients by outcome class; `answered` includes `missing`. */
export type Counts = Record<OutcomeClass | "totalMs", number>

export const NO_COUNTS: Readonly<Counts> = { answered: 0, missing: 0, deferred: 0, blocked: 0, failed: 0, totalMs: 0 }

export interface RouteName {
  readonly nodeId: string
  readonly sourceIp: string
  readonly operator: string
}

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
    breaker: { ...CLOSED },
    rateCeiling: null,
    ceilingAt: now,
    rate: 0,
    rateAt: now,
    drifted: false,
  }
}

/** Adds to the counts after their decay. */
function count(stats: RouteStats, counts: Partial<Counts>, now: number): void {
  const share = shareAfter(now - stats.decayedAt)
  const { seen } = stats
  for (const name of Object.keys(seen) as (keyof Counts)[]) seen[name] = seen[name] * share + (counts[name] ?? 0)
  stats.decayedAt = now
}

function shareAfter(ms: number): number {
  return 0.5 ** (Math.max(0, ms) / HALF_LIFE_MS)
}

export function recordRecipients(stats: RouteStats, recipients: number, now: number): void {
  stats.rate = recentRate(stats, now) + recipients
  stats.rateAt = now
}

export function recentRate({ rate, rateAt }: RouteStats, now: number): number {
  return rate * decayAfter(now - rateAt)
}

/** Records an observation, with TCP's rate control (AIMD). @returns whether it opened the breaker */
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

/** Whether the operator may reject every recipient to this IP alone. @param all its answers to all IPs */
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
    const share = shareAfter(now - this.#at)
    this.answered = this.answered * share + (counts.answered ?? 0)
    this.missing = this.missing * share + (counts.missing ?? 0)
    this.#at = now
  }
}

/** Circuit breaker of one source IP at one mail operator. Plain values, so that it can be stored and shared. */
interface Breaker {
  /** Blocks since the last answer. */
  blocks: number
  /** How often it has opened since the last answer. */
  strikes: number
  openUntil: number
  /** End of the current trial request, Unix ms; 0 without one. */
  trialUntil: number
}

export const ROUTE_BREAKER = {
  blocksToOpen: 2,
  firstPauseMs: 120_000,
  longestPauseMs: 4 * 3_600_000,
  trialMs: 60_000,
} as const

export type BreakerState = "closed" | "open" | "half_open"

const CLOSED: Readonly<Breaker> = { blocks: 0, strikes: 0, openUntil: 0, trialUntil: 0 }

/** `half_open`: one request may test whether the block is over. */
export function stateOf({ strikes, openUntil, trialUntil }: Breaker, now: number): BreakerState {
  if (strikes === 0) return "closed"
  return now < openUntil || now < trialUntil ? "open" : "half_open"
}

/** Starts the trial request of a half-open breaker. Other requests wait for its result, at most `trialMs`. */
export function startTrial(breaker: Breaker, now: number): void {
  if (breaker.strikes > 0) breaker.trialUntil = now + ROUTE_BREAKER.trialMs
}

/** Closes the breaker. An answer to a request sent before it opened is ignored. */
function recordAnswer(breaker: Breaker, now: number): void {
  if (now >= breaker.openUntil) Object.assign(breaker, CLOSED)
}

/** @returns whether this block opened the breaker */
function recordBlock(breaker: Breaker, now: number): boolean {
  if (now < breaker.openUntil) return false
  breaker.blocks++
  if (breaker.strikes === 0 && breaker.blocks < ROUTE_BREAKER.blocksToOpen) return false
  const pause = Math.min(ROUTE_BREAKER.longestPauseMs, ROUTE_BREAKER.firstPauseMs * 4 ** breaker.strikes)
  breaker.strikes++
  breaker.openUntil = now + pause
  breaker.trialUntil = 0
  return true
}

/** Opens the breaker until a time that another isolate or the node itself reported. */
export function extendPause(breaker: Breaker, until: number): void {
  if (until <= breaker.openUntil) return
  breaker.strikes = Math.max(1, breaker.strikes)
  breaker.openUntil = until
}

/** Time constant of the decay: operators count requests by about the hour. */
const DECAY_MS = 1_800_000

/** The share of a request rate that remains after `ms`. */
export function decayAfter(ms: number): number {
  return Math.exp(-Math.max(0, ms) / DECAY_MS)
}

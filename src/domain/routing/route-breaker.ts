/** Circuit breaker of one source IP at one mail operator. Plain values, so that it can be stored and shared. */
export interface Breaker {
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

export function newBreaker(): Breaker {
  return { blocks: 0, strikes: 0, openUntil: 0, trialUntil: 0 }
}

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
export function recordAnswer(breaker: Breaker, now: number): void {
  if (now < breaker.openUntil) return
  breaker.blocks = 0
  breaker.strikes = 0
  breaker.openUntil = 0
  breaker.trialUntil = 0
}

/** @returns whether this block opened the breaker */
export function recordBlock(breaker: Breaker, now: number): boolean {
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
export function keepOpenUntil(breaker: Breaker, until: number): void {
  if (until <= breaker.openUntil) return
  breaker.strikes = Math.max(1, breaker.strikes)
  breaker.openUntil = until
}

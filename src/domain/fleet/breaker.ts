/** A source IP at a mail operator that turned it away. Plain values, so that they may be kept and shared. */
export interface Breaker {
  /** Blocks since the last answer. */
  blocks: number
  /** Times it has opened since the last answer. */
  strikes: number
  openUntil: number
  /** Until when the one let through to try has its turn; 0: nobody is trying. */
  trialUntil: number
}

export const BREAKER = {
  blocksToOpen: 2,
  firstPauseMs: 120_000,
  longestPauseMs: 4 * 3_600_000,
  trialMs: 60_000,
} as const

export type BreakerState = "closed" | "open" | "half_open"

export function newBreaker(): Breaker {
  return { blocks: 0, strikes: 0, openUntil: 0, trialUntil: 0 }
}

/** `half_open`: one request may try whether the block is over. */
export function stateOf({ strikes, openUntil, trialUntil }: Breaker, now: number): BreakerState {
  if (strikes === 0) return "closed"
  return now < openUntil || now < trialUntil ? "open" : "half_open"
}

/** A half-open breaker lets this one try; others wait for what becomes of it, but not for ever. */
export function noteTry(breaker: Breaker, now: number): void {
  if (breaker.strikes > 0) breaker.trialUntil = now + BREAKER.trialMs
}

/** Answers to what was under way when it opened say nothing about now. */
export function noteAnswer(breaker: Breaker, now: number): void {
  if (now < breaker.openUntil) return
  breaker.blocks = 0
  breaker.strikes = 0
  breaker.openUntil = 0
  breaker.trialUntil = 0
}

/** @returns whether this block opened it */
export function noteBlock(breaker: Breaker, now: number): boolean {
  if (now < breaker.openUntil) return false
  breaker.blocks++
  if (breaker.strikes === 0 && breaker.blocks < BREAKER.blocksToOpen) return false
  const pause = Math.min(BREAKER.longestPauseMs, BREAKER.firstPauseMs * 4 ** breaker.strikes)
  breaker.strikes++
  breaker.openUntil = now + pause
  breaker.trialUntil = 0
  return true
}

/** What another isolate, or the node itself, knows: held back until then. */
export function holdUntil(breaker: Breaker, until: number): void {
  if (until <= breaker.openUntil) return
  breaker.strikes = Math.max(1, breaker.strikes)
  breaker.openUntil = until
}

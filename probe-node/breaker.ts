/** Circuit breaker for one source IP at one mail operator. It counts refusals before RCPT. */
export interface Breaker {
  /** Blocks in a row. */
  blocks: number
  /** Times the breaker has opened since the last answer. */
  strikes: number
  openUntilMs: number
  /** A trial session runs, to test whether the operator still blocks. */
  trial: boolean
}

export type SessionOutcome = "answered" | "blocked" | "failed"

export const BREAKER = { blocksToOpen: 8, firstPauseMs: 60_000, longestPauseMs: 3_600_000 } as const

export function newBreaker(): Breaker {
  return { blocks: 0, strikes: 0, openUntilMs: 0, trial: false }
}

/** Whether a session may start. After the pause the breaker allows one trial session at a time. */
export function isClosed(breaker: Breaker, nowMs: number): boolean {
  return breaker.strikes === 0 || (nowMs >= breaker.openUntilMs && !breaker.trial)
}

export function recordStart(breaker: Breaker): void {
  if (breaker.strikes > 0) breaker.trial = true
}

/** @returns true when this block opened the breaker */
export function recordOutcome(breaker: Breaker, outcome: SessionOutcome, nowMs: number): boolean {
  const wasTrial = breaker.trial
  breaker.trial = false
  if (outcome === "answered") {
    breaker.blocks = 0
    breaker.strikes = 0
  }
  if (outcome !== "blocked") return false
  breaker.blocks++
  if (!wasTrial && (breaker.strikes > 0 || breaker.blocks < BREAKER.blocksToOpen)) return false
  breaker.openUntilMs = nowMs + Math.min(BREAKER.longestPauseMs, BREAKER.firstPauseMs * 2 ** breaker.strikes)
  breaker.strikes++
  return true
}

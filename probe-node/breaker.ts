/** How often a mail operator has turned one of our source IPs away before it said anything about a mailbox. */
export interface Breaker {
  /** Blocks in a row. */
  blocks: number
  /** Times it has opened since the last answer. */
  strikes: number
  openUntilMs: number
  /** One session has been let through to see whether the block is over. */
  trial: boolean
}

export type SessionFate = "answered" | "blocked" | "failed"

export const BREAKER = { blocksToOpen: 8, firstPauseMs: 60_000, longestPauseMs: 3_600_000 } as const

export function newBreaker(): Breaker {
  return { blocks: 0, strikes: 0, openUntilMs: 0, trial: false }
}

/** Whether a session may start; after the pause one at a time is let through. */
export function isClosed(breaker: Breaker, nowMs: number): boolean {
  return breaker.strikes === 0 || (nowMs >= breaker.openUntilMs && !breaker.trial)
}

export function noteStart(breaker: Breaker): void {
  if (breaker.strikes > 0) breaker.trial = true
}

/** @returns true when this block opened the breaker */
export function noteFate(breaker: Breaker, fate: SessionFate, nowMs: number): boolean {
  const wasTrial = breaker.trial
  breaker.trial = false
  if (fate === "answered") {
    breaker.blocks = 0
    breaker.strikes = 0
  }
  if (fate !== "blocked") return false
  breaker.blocks++
  if (!wasTrial && (breaker.strikes > 0 || breaker.blocks < BREAKER.blocksToOpen)) return false
  breaker.openUntilMs = nowMs + Math.min(BREAKER.longestPauseMs, BREAKER.firstPauseMs * 2 ** breaker.strikes)
  breaker.strikes++
  return true
}

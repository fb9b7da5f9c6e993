import { CLOCK_SKEW_SECONDS, MAX_AGE_SECONDS } from "../schema/wire/signature.ts"

/** How long a nonce is stored: as long as its signature could be accepted again. */
const MEMORY_MS = (MAX_AGE_SECONDS + 2 * CLOCK_SKEW_SECONDS) * 1_000
const MAX_NONCES = 100_000

export type ReplayVerdict = "fresh" | "replayed" | "too_old" | "full"

/** The time of a request: Unix ms, and ms of a monotonic clock (`performance.now()`). */
export interface Moment {
  readonly nowMs: number
  readonly steadyMs: number
}

/**
 * Refuses a repeated nonce. It fails closed when full. It refuses signatures from before the process start, because a
 * restart clears the stored nonces. Neither check depends on changes of the system clock.
 * @param startedAtMs start of this process, on the monotonic clock
 */
export function createReplayGuard(startedAtMs: number) {
  const seen = new Map<string, number>()

  function forget(steadyMs: number): void {
    for (const [key, seenAt] of seen) {
      if (steadyMs - seenAt <= MEMORY_MS) return
      seen.delete(key)
    }
  }

  return {
    check(
      signature: { keyid: string; nonce: string; createdSeconds: number },
      { nowMs, steadyMs }: Moment,
    ): ReplayVerdict {
      const startedAt = nowMs - (steadyMs - startedAtMs)
      if (signature.createdSeconds < Math.floor(startedAt / 1_000)) return "too_old"
      const key = `${signature.keyid} ${signature.nonce}`
      if (seen.has(key)) return "replayed"
      forget(steadyMs)
      if (seen.size >= MAX_NONCES) return "full"
      seen.set(key, steadyMs)
      return "fresh"
    },
  }
}

export type ReplayGuard = ReturnType<typeof createReplayGuard>

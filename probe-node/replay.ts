import { CLOCK_SKEW_SECONDS, MAX_AGE_SECONDS } from "../schema/wire/signature.ts"

/** How long a nonce must be remembered: as long as its signature could be accepted again. */
const MEMORY_SECONDS = MAX_AGE_SECONDS + 2 * CLOCK_SKEW_SECONDS
const MAX_NONCES = 100_000

export type ReplayVerdict = "fresh" | "replayed" | "too_old" | "full"

/**
 * Refuses a nonce seen before. Fails closed when full, and refuses what was signed before this process started, or a
 * restart would open the window again.
 * @param startedAtSeconds Unix time of the process start
 */
export function createReplayGuard(startedAtSeconds: number) {
  const seen = new Map<string, number>()

  function forget(nowSeconds: number): void {
    for (const [key, seenAt] of seen) {
      if (nowSeconds - seenAt <= MEMORY_SECONDS) return
      seen.delete(key)
    }
  }

  return {
    check(signature: { keyid: string; nonce: string; createdSeconds: number }, nowSeconds: number): ReplayVerdict {
      if (signature.createdSeconds < startedAtSeconds) return "too_old"
      const key = `${signature.keyid} ${signature.nonce}`
      if (seen.has(key)) return "replayed"
      forget(nowSeconds)
      if (seen.size >= MAX_NONCES) return "full"
      seen.set(key, nowSeconds)
      return "fresh"
    },
  }
}

export type ReplayGuard = ReturnType<typeof createReplayGuard>

import { Recent } from "../../domain/recent.ts"
import type { DnsAnswer, RecordType } from "./message.ts"

/** The longest time an answer is cached; a longer TTL is capped. */
const MAX_TTL_SECONDS = 3_600
/** How long a failed resolver is queried last. */
const PENALTY_MS = 10_000
/** Longer answers are not cached, so that the limit on entries also limits the memory. */
const MAX_ENTRY_CHARACTERS = 8_192

type CachedAnswer = Exclude<DnsAnswer<RecordType>, { kind: "failure" }>

/** State that an isolate shares between requests: plain values, because Workers forbid sharing I/O between requests. */
export type DnsMemory = ReturnType<typeof createDnsMemory>

/** An empty memory for at most `maxEntries` answers. The least recently used answers are evicted first. */
export function createDnsMemory(maxEntries = 2_000) {
  const answers = new Recent<{ answer: CachedAnswer; expiresAt: number }>(maxEntries / 2)
  const failingUntil = new Map<string, number>()
  const answeredAt = new Map<string, number>()

  return {
    /** A cached answer with its remaining lifetime; null without one. */
    get(key: string, nowMs: number): CachedAnswer | null {
      const entry = answers.get(key)
      if (!entry || entry.expiresAt <= nowMs) return null
      return { ...entry.answer, ttlSeconds: Math.ceil((entry.expiresAt - nowMs) / 1000) }
    },

    store(key: string, answer: DnsAnswer<RecordType>, nowMs: number): void {
      if (answer.kind === "failure" || answer.ttlSeconds === 0) return
      if (JSON.stringify(answer).length > MAX_ENTRY_CHARACTERS) return
      const ttlSeconds = Math.min(answer.ttlSeconds, MAX_TTL_SECONDS)
      answers.set(key, { answer, expiresAt: nowMs + ttlSeconds * 1000 })
    },

    recordAnswer(url: string, nowMs: number): void {
      answeredAt.set(url, nowMs)
    },

    recordFailure(url: string, nowMs: number): void {
      failingUntil.set(url, nowMs + PENALTY_MS)
    },

    /**
     * 0 for a resolver without a recent failure, otherwise the ms since its last answer, plus 1. A name without working
     * servers fails every resolver. The resolver that answered longest ago must then come last.
     */
    penalty(url: string, nowMs: number): number {
      return (failingUntil.get(url) ?? 0) > nowMs ? 1 + nowMs - (answeredAt.get(url) ?? 0) : 0
    },
  }
}

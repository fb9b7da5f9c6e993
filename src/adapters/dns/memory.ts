import type { DnsAnswer, RecordType } from "./answer.ts"

/** Longest time an answer is kept, whatever its TTL says. */
const MAX_KEPT_SECONDS = 3_600
/** How long a resolver that failed is asked last. */
const FAILING_MS = 10_000
/** An answer of more characters is not kept, so that the bound on entries is one on bytes too. */
const MAX_ENTRY_CHARACTERS = 8_192

type Kept = Exclude<DnsAnswer<RecordType>, { kind: "failure" }>

/** What an isolate remembers between requests: plain values only, because Workers forbid sharing I/O between requests. */
export interface DnsMemory {
  /** A kept answer with the lifetime it has left; null when there is none. */
  recall(key: string, nowMs: number): Kept | null
  keep(key: string, answer: DnsAnswer<RecordType>, nowMs: number): void
  noteAnswer(url: string, nowMs: number): void
  noteFailure(url: string, nowMs: number): void
  /**
   * 0 for a resolver that did not fail of late; else the more, the longer ago it answered. A name nobody answers for fails
   * every resolver, and one that is down must not come first for it.
   */
  disgrace(url: string, nowMs: number): number
}

/** An empty memory of at most `maxEntries` answers; the least recently used one goes first. */
export function createDnsMemory(maxEntries = 2_000): DnsMemory {
  const answers = new Map<string, { answer: Kept; expiresAt: number }>()
  const failingUntil = new Map<string, number>()
  const answeredAt = new Map<string, number>()

  return {
    recall(key, nowMs) {
      const entry = answers.get(key)
      if (!entry) return null
      answers.delete(key)
      if (entry.expiresAt <= nowMs) return null
      answers.set(key, entry)
      return { ...entry.answer, ttlSeconds: Math.ceil((entry.expiresAt - nowMs) / 1000) }
    },

    keep(key, answer, nowMs) {
      if (answer.kind === "failure" || answer.ttlSeconds === 0) return
      if (JSON.stringify(answer).length > MAX_ENTRY_CHARACTERS) return
      const ttlSeconds = Math.min(answer.ttlSeconds, MAX_KEPT_SECONDS)
      answers.delete(key)
      answers.set(key, { answer, expiresAt: nowMs + ttlSeconds * 1000 })
      for (const oldest of answers.keys()) {
        if (answers.size <= maxEntries) return
        answers.delete(oldest)
      }
    },

    noteAnswer(url, nowMs) {
      answeredAt.set(url, nowMs)
    },

    noteFailure(url, nowMs) {
      failingUntil.set(url, nowMs + FAILING_MS)
    },

    disgrace(url, nowMs) {
      return (failingUntil.get(url) ?? 0) > nowMs ? 1 + nowMs - (answeredAt.get(url) ?? 0) : 0
    },
  }
}

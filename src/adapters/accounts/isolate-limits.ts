import { MINUTE_MS } from "../../domain/time.ts"

/** Counts of the last minutes: plain values, which may outlive a request. */
interface RateLimiterMemory {
  /** Unix ms. */
  cleanedAt: number
  /** By key. The minute of a key begins with its first count. */
  readonly minutes: Map<string, { readonly since: number; used: number }>
}

/** A rate limit without network calls. Each isolate has its own counts, which end with the isolate. */
export type MemoryRateLimiter = ReturnType<typeof createMemoryRateLimiter>

export function newRateLimiterMemory(): RateLimiterMemory {
  return { cleanedAt: Number.NEGATIVE_INFINITY, minutes: new Map() }
}

export function createMemoryRateLimiter(memory: RateLimiterMemory, { now }: { readonly now: () => number }) {
  const { minutes } = memory
  const isOver = (since: number) => now() - since >= MINUTE_MS
  const removeOld = () => {
    for (const [key, { since }] of minutes) if (isOver(since)) minutes.delete(key)
    memory.cleanedAt = now()
  }
  return {
    /** @returns false, and counts nothing, when `count` more would exceed `limit` in the key's minute */
    reserve(key: string, count: number, limit: number): boolean {
      if (isOver(memory.cleanedAt)) removeOld()
      const last = minutes.get(key)
      const minute = last && !isOver(last.since) ? last : { since: now(), used: 0 }
      if (minute.used + count > limit) return false
      minute.used += count
      minutes.set(key, minute)
      return true
    },
    /** Takes back what was reserved. After the minute there is nothing to take back. */
    giveBack(key: string, count: number): void {
      const minute = minutes.get(key)
      if (minute) minute.used = Math.max(0, minute.used - count)
    },
  }
}

/** What each caller may hold of each kind: one upload of 20 MB and its form, or eight lists of 1 MB. */
const SUBJECT_BYTES = { uploads: 24_000_000, bodies: 8_000_000 }
/** What all callers together may hold of each kind. A Worker's isolate has 128 MB, also for what it makes of them. */
const SUM_BYTES = { uploads: 48_000_000, bodies: 32_000_000 }
/** The beginning of each body does not count, so that large ones never keep out a call with a few fields. */
const UNCOUNTED_BYTES = 16_384
/** A body without new bytes for this long belongs to a request that the platform ended. No body may stop for 10 s. */
const ABANDONED_MS = 60_000

/** Large uploads and small bodies do not displace each other. */
export type BodyKind = "uploads" | "bodies"

/** The bytes of one body in memory. */
export interface UploadedBody {
  readonly kind: BodyKind
  readonly subject: string
  bytes: number
  /** Unix ms of the last bytes. */
  usedAt: number
}

/** Bounds the memory that bodies of requests take in this isolate, for each caller and in sum. */
export type BodyMemory = ReturnType<typeof createBodyMemory>

/** Plain values, which may outlive a request. */
export function createBodyMemory() {
  const open = new Set<UploadedBody>()
  return {
    open(kind: BodyKind, subject: string): UploadedBody {
      return { kind, subject, bytes: 0, usedAt: 0 }
    },
    /** @returns the bound that the bytes would exceed, and then counts nothing; else null */
    add(body: UploadedBody, bytes: number, now: number): "subject" | "sum" | null {
      const more = counted(body.bytes + bytes) - counted(body.bytes)
      if (more === 0) {
        body.bytes += bytes
        return null
      }
      let [ofSubject, inSum] = [more, more]
      for (const one of open) {
        if (now - one.usedAt > ABANDONED_MS) open.delete(one)
        else if (one.kind === body.kind) {
          inSum += counted(one.bytes)
          if (one.subject === body.subject) ofSubject += counted(one.bytes)
        }
      }
      if (ofSubject > SUBJECT_BYTES[body.kind]) return "subject"
      if (inSum > SUM_BYTES[body.kind]) return "sum"
      body.bytes += bytes
      body.usedAt = now
      open.add(body)
      return null
    },
    /** Gives the bytes back at the end of the request. */
    release(body: UploadedBody): void {
      open.delete(body)
    },
  }
}

function counted(bytes: number): number {
  return Math.max(0, bytes - UNCOUNTED_BYTES)
}

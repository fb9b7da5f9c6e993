/** What each caller may hold: one upload of 20 MB and its form. */
const SUBJECT_BYTES = 24_000_000
/** What all callers together may hold of each kind. A Worker's isolate has 128 MB. */
const SUM_BYTES = 64_000_000
/** A body without new bytes for this long belongs to a request that the platform ended. No body may stop for 10 s. */
const ABANDONED_MS = 60_000

/** Large uploads and small bodies do not displace each other. */
export type BodyKind = "uploads" | "bodies"

/** The bytes of one body in memory. */
export interface HeldBody {
  readonly kind: BodyKind
  readonly subject: string
  bytes: number
  /** Unix ms of the last bytes. */
  usedAt: number
}

/** Bounds the memory that bodies of requests take in this isolate, for each caller and in sum. */
export interface BodyMemory {
  open(kind: BodyKind, subject: string): HeldBody
  /** @returns the bound that the bytes would exceed, and then counts nothing; else null */
  add(held: HeldBody, bytes: number, now: number): "subject" | "sum" | null
  /** Gives the bytes back at the end of the request. */
  release(held: HeldBody): void
}

/** Plain values, which may outlive a request. */
export function createBodyMemory(): BodyMemory {
  const open = new Set<HeldBody>()
  return {
    open(kind, subject) {
      return { kind, subject, bytes: 0, usedAt: 0 }
    },
    add(held, bytes, now) {
      let [ofSubject, inSum] = [bytes, bytes]
      for (const one of open) {
        if (now - one.usedAt > ABANDONED_MS) open.delete(one)
        else if (one.kind === held.kind) {
          inSum += one.bytes
          if (one.subject === held.subject) ofSubject += one.bytes
        }
      }
      if (ofSubject > SUBJECT_BYTES) return "subject"
      if (inSum > SUM_BYTES) return "sum"
      held.bytes += bytes
      held.usedAt = now
      open.add(held)
      return null
    },
    release(held) {
      open.delete(held)
    },
  }
}

import { RETENTION_DAYS } from "../../../schema/tables/retention.ts"
import { DAY_MS } from "../../domain/time.ts"
import type { KvReader, WritableKv } from "./kv-reader.ts"
import { Memo } from "./memo.ts"

/** A result as the answer wants it, without what depends on who asks or could name the address. */
export interface PresentedResult {
  /** The checks as JSON text, but for `email`, `local_part` and `can_send`. */
  readonly json: string
  /** Whether it may be sent to as far as the result itself goes; an account's suppression comes on top. */
  readonly canSend: boolean
  /** The same for an account that has received mail from the address. */
  readonly canSendIfReceived: boolean
}

export interface CachedResult extends PresentedResult {
  /** Unix milliseconds, both. */
  readonly verifiedAt: number
  readonly expiresAt: number
}

/**
 * The read model of results at the edge. The database is the truth: this may be lost at any time, is rewritten with every
 * change, and elsewhere lags behind by at most a minute.
 */
export interface ResultCache {
  /** @param hash keyed hash of the cache key of an address */
  get(hash: string): Promise<CachedResult | null>
  put(hash: string, result: CachedResult): Promise<void>
  delete(hash: string): Promise<void>
}

interface Metadata {
  readonly v: number
  readonly e: number
  readonly s: boolean
  readonly r: boolean
}

const MIN_EXPIRATION_SECONDS = 60
const MEMO = { capacity: 5_000, ttlMs: 10_000 } as const

/** Plain text outlives a request without harm; one memory for each isolate. Null is a result that has just been taken away. */
const memo = new Memo<CachedResult | null>(MEMO)

export function createResultCache(kv: WritableKv, reader: KvReader, now: () => number): ResultCache {
  return {
    async get(hash) {
      const known = memo.get(hash, now())
      if (known !== undefined) return known
      const entry = await reader.get(keyOf(hash))
      // What was written meanwhile is newer than what was read.
      const written = memo.get(hash, now())
      if (written !== undefined) return written
      if (!entry) return null
      const { value, metadata } = entry
      const { v: verifiedAt, e: expiresAt, s: canSend, r: canSendIfReceived } = metadata as Metadata
      const result = { json: value, canSend, canSendIfReceived, verifiedAt, expiresAt }
      memo.set(hash, result, now())
      return result
    },

    async put(hash, result) {
      memo.set(hash, result, now())
      // No longer than the store may keep it.
      const until = Math.min(result.expiresAt, result.verifiedAt + RETENTION_DAYS * DAY_MS)
      const seconds = Math.ceil((until - now()) / 1000)
      if (seconds < MIN_EXPIRATION_SECONDS) return kv.delete(keyOf(hash))
      await kv.put(keyOf(hash), result.json, {
        expirationTtl: seconds,
        metadata: {
          v: result.verifiedAt,
          e: result.expiresAt,
          s: result.canSend,
          r: result.canSendIfReceived,
        } satisfies Metadata,
      })
    },

    async delete(hash) {
      memo.set(hash, null, now())
      await kv.delete(keyOf(hash))
    },
  }
}

const keyOf = (hash: string) => `r:${hash}`

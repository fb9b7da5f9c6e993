import { RETENTION_DAYS } from "../../../schema/tables/retention.ts"
import { DAY_MS } from "../../domain/time.ts"
import type { PresentedResult } from "../../domain/verdict/cached-checks.ts"
import type { KvReader, WritableKv } from "./kv-reader.ts"
import { Memo } from "./memo.ts"

export interface CachedResult extends PresentedResult {
  /** Unix milliseconds, both. */
  readonly verifiedAt: number
  readonly expiresAt: number
}

/**
 * The cached results at the edge. The database is the source of truth, so any entry may be lost.
 * Every change rewrites the entry. Other locations see the change after at most one minute.
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

/** One memory for each isolate; plain text may outlive a request. Null marks a result that was deleted just now. */
const memo = new Memo<CachedResult | null>(MEMO)

export function createResultCache(kv: WritableKv, reader: KvReader, now: () => number): ResultCache {
  return {
    async get(hash) {
      const known = memo.get(hash, now())
      if (known !== undefined) return known
      const entry = await reader.get(keyOf(hash))
      // A value written during the read is newer than the value read.
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
      // No longer than the store may retain the result.
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

import { RETENTION_DAYS } from "../../../schema/tables/retention.ts"
import { DAY_MS } from "../../domain/time.ts"
import type { PresentedResult } from "../../domain/verification/cached-checks.ts"
import type { FactName, StoredEvidence } from "../../domain/verification/evidence.ts"
import { FAILED_LOOKUP_MS } from "../../domain/verification/lifetime.ts"
import { type KvReader, Memo, type WritableKv } from "../cache.ts"
import { packEvidence, unpackEvidence } from "./evidence-codec.ts"

export interface CachedResult extends PresentedResult {
  /** Unix milliseconds, both. */
  readonly verifiedAt: number
  readonly expiresAt: number
}

export interface CacheEntry extends CachedResult {
  /** Packed by src/adapters/verification/evidence-codec.ts. Null in an entry without evidence. */
  readonly packed: string | null
}

export interface ResultToCache extends CachedResult {
  readonly evidence: StoredEvidence
}

/** The cached results at the edge, of which any may be lost. Other locations see a change after at most one minute. */
export type ResultCache = ReturnType<typeof createResultCache>

interface Metadata {
  readonly v: number
  readonly e: number
  readonly s: boolean
  readonly r: boolean
  readonly t: boolean
  /** Missing in entries from before there was a catch-all bonus. They count as scored by no active classifier. */
  readonly c?: number | null
}

const NO_CLASSIFIER = -1

const MIN_EXPIRATION_SECONDS = 60
const MEMO = { capacity: 5_000, ttlMs: 10_000 } as const
/** Between the parts of a value. JSON text contains no line break. */
const SEPARATOR = "\n"

/** One memory for each isolate; plain text may outlive a request. Null marks a result that was deleted just now. */
const memo = new Memo<CacheEntry | null>(MEMO)
/** Unpacked evidence by its packed text. It takes ten times the space, so only few are stored. */
const unpacked = new Memo<StoredEvidence>({ capacity: 500, ttlMs: MEMO.ttlMs })
const completions = new Memo<true>({ capacity: 10_000, ttlMs: 60_000 })
/** Short, because a verification at another isolate is not noticed. */
const misses = new Memo<true>({ capacity: 10_000, ttlMs: 3_000 })

export function createResultCache(kv: WritableKv, reader: KvReader, now: () => number) {
  return {
    /** @param hash keyed hash of the cache key of an address. The cache statistics do not count calls with `isLookup` false */
    async get(hash: string, _options?: { isLookup: boolean }): Promise<CacheEntry | null> {
      const entry = await memo.read(hash, now, async () => {
        const stored = await reader.get(keyOf(hash))
        if (!stored) return undefined
        const {
          v: verifiedAt,
          e: expiresAt,
          s: canSend,
          r: canSendIfReceived,
          t: isTypo,
          c,
        } = stored.metadata as Metadata
        const [json = "", packed = null] = stored.value.split(SEPARATOR)
        const classifier = c === undefined ? NO_CLASSIFIER : c
        return { json, packed, canSend, canSendIfReceived, isTypo, classifier, verifiedAt, expiresAt }
      })
      return entry ?? null
    },

    /** This isolate sees the result from the call on, before the write ends. */
    async put(hash: string, { evidence, ...presented }: ResultToCache) {
      const packed = packEvidence(evidence)
      const result = { ...presented, packed }
      memo.set(hash, result, now())
      misses.delete(hash)
      // No longer than the store may retain the result.
      const until = Math.min(result.expiresAt, result.verifiedAt + RETENTION_DAYS * DAY_MS)
      const seconds = Math.ceil((until - now()) / 1000)
      if (seconds < MIN_EXPIRATION_SECONDS) return kv.delete(keyOf(hash))
      await kv.put(keyOf(hash), result.json + SEPARATOR + packed, {
        expirationTtl: seconds,
        metadata: {
          v: result.verifiedAt,
          e: result.expiresAt,
          s: result.canSend,
          r: result.canSendIfReceived,
          t: result.isTypo,
          c: result.classifier,
        } satisfies Metadata,
      })
    },

    async delete(hash: string) {
      memo.set(hash, null, now())
      completions.delete(hash)
      await kv.delete(keyOf(hash))
    },

    /** Unpacks the evidence of an entry; null when it has none. */
    evidenceOf({ packed }: CacheEntry): StoredEvidence | null {
      if (packed === null) return null
      const evidence = unpacked.get(packed, now()) ?? unpackEvidence(packed)
      unpacked.set(packed, evidence, now())
      return evidence
    },

    /** Whether the entry may be completed from the database now: each isolate does so once a minute. */
    startCompletion(hash: string): boolean {
      if (completions.get(hash, now())) return false
      completions.set(hash, true, now())
      return true
    },

    /** Records that the database has no result of the address. */
    recordMiss(hash: string): void {
      // A result that was stored during the read is newer than the miss.
      if (!memo.get(hash, now())) misses.set(hash, true, now())
    },

    /** Whether the database had no result some seconds ago. A result that another isolate stored since is not noticed. */
    isKnownMiss: (hash: string): boolean => misses.get(hash, now()) ?? false,
  }
}

const keyOf = (hash: string) => `r:${hash}`

/** Facts that could not be determined just now. They say nothing about the domain, so the database has none of them. */
export type FailedFacts = ReturnType<typeof createFailedFacts>

/** @param now Unix ms */
export function createFailedFacts(now: () => number) {
  const failures = new Memo<true>({ capacity: 10_000, ttlMs: FAILED_LOOKUP_MS })
  return {
    /** Whether the lookup failed so recently that it is not repeated yet. */
    has: (domain: string, name: FactName): boolean => failures.get(factKey(domain, name), now()) ?? false,
    add: (domain: string, name: FactName): void => failures.set(factKey(domain, name), true, now()),
  }
}

const factKey = (domain: string, name: FactName) => `${name} ${domain}`

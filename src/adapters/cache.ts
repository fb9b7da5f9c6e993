import { Recent } from "../domain/recent.ts"
import type { Clock } from "./platform.ts"

/** A small in-memory cache of plain values with a short lifetime, inside one isolate. */
export class Memo<T> {
  readonly #entries: Recent<{ readonly value: T; readonly until: number }>
  readonly #ttlMs: number

  constructor({ capacity, ttlMs }: { capacity: number; ttlMs: number }) {
    this.#entries = new Recent(capacity)
    this.#ttlMs = ttlMs
  }

  get(key: string, now: number): T | undefined {
    const entry = this.#entries.get(key)
    return entry && entry.until > now ? entry.value : undefined
  }

  set(key: string, value: T, now: number): void {
    this.#entries.set(key, { value, until: now + this.#ttlMs })
  }

  /** Reads through the cache. A value set during the read is newer than the value read. Undefined is not cached. */
  async read<R extends T | undefined>(key: string, now: () => number, load: () => Promise<R>): Promise<T | R> {
    const known = this.get(key, now())
    if (known !== undefined) return known
    const loaded = await load()
    const written = this.get(key, now())
    if (written !== undefined) return written
    if (loaded !== undefined) this.set(key, loaded, now())
    return loaded
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}

interface Read {
  readonly value: string | null
  readonly metadata: unknown
}

/** The read methods of a KV namespace that are used here. Several keys cost one operation; a single key is cheaper. */
export interface ReadableKv {
  getWithMetadata(keys: string[], options: { type: "text"; cacheTtl: number }): Promise<Map<string, Read>>
  getWithMetadata(key: string, options: { type: "text"; cacheTtl: number }): Promise<Read>
}

/** The write methods that are used here. */
export interface WritableKv {
  put(key: string, value: string, options?: { expirationTtl: number; metadata?: unknown }): Promise<void>
  delete(key: string): Promise<void>
}

export interface KvEntry {
  readonly value: string
  readonly metadata: unknown
}

export interface KvReader {
  get(key: string): Promise<KvEntry | null>
}

/** 30 s: the shortest cache time that KV allows. With the 10 s memory of an isolate, reads are under a minute old. */
const EDGE_TTL_SECONDS = 30
/** Keys that KV allows in one operation. */
const MAX_KEYS = 100

/** Combines reads from the same moment into one operation: an operation costs more than all its keys. */
export function createKvReader(kv: ReadableKv): KvReader {
  let waiting: Map<string, Promise<KvEntry | null>> | null = null
  let answer: Promise<Map<string, Read>> | null = null

  async function operation(requested: ReadonlyMap<string, unknown>): Promise<Map<string, Read>> {
    // Deferred by a microtask, so that all reads of the same moment are included.
    await Promise.resolve()
    waiting = null
    answer = null
    const options = { type: "text", cacheTtl: EDGE_TTL_SECONDS } as const
    const [key = "", ...others] = requested.keys()
    if (others.length > 0) return kv.getWithMetadata([key, ...others], options)
    return new Map([[key, await kv.getWithMetadata(key, options)]])
  }

  return {
    get(key) {
      const requested = waiting && waiting.size < MAX_KEYS ? waiting : new Map<string, Promise<KvEntry | null>>()
      if (requested !== waiting || !answer) {
        waiting = requested
        answer = operation(requested)
      }
      const known = requested.get(key)
      if (known) return known
      const entry = answer.then((entries) => {
        const found = entries.get(key)
        return found?.value == null ? null : { value: found.value, metadata: found.metadata }
      })
      requested.set(key, entry)
      return entry
    },
  }
}

/** KV accepts one write or delete per key each second. */
const PAUSE_MS = 1_100
/** After this many refusals the error is thrown, and the caller retries. */
const TRIES = 5

/** Writes to KV. A write that is refused as too early is retried after a pause. */
export function createKvWriter(kv: WritableKv, { sleep }: Pick<Clock, "sleep">): WritableKv {
  async function withRetry(write: () => Promise<void>): Promise<void> {
    for (let left = TRIES - 1; ; left--) {
      try {
        return await write()
      } catch (error) {
        if (left === 0 || !isRateLimited(error)) throw error
        await sleep(PAUSE_MS)
      }
    }
  }
  return {
    put: (key, value, options) => withRetry(() => kv.put(key, value, options)),
    delete: (key) => withRetry(() => kv.delete(key)),
  }
}

/** The platform reports it only in the text: "KV PUT failed: 429 Too Many Requests". */
function isRateLimited(error: unknown): boolean {
  return error instanceof Error && error.message.includes("429")
}

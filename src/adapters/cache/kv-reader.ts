interface Read {
  readonly value: string | null
  readonly metadata: unknown
}

/** The part of a KV namespace that is used for reading. Several keys are one operation; one alone is cheaper asked for by itself. */
export interface ReadableKv {
  getWithMetadata(keys: string[], options: { type: "text"; cacheTtl: number }): Promise<Map<string, Read>>
  getWithMetadata(key: string, options: { type: "text"; cacheTtl: number }): Promise<Read>
}

/** The part that is used for writing. */
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

/** KV's shortest. With the ten seconds an isolate remembers, what changed elsewhere is served for less than a minute. */
const EDGE_TTL_SECONDS = 30
/** What one operation may ask for. */
const MAX_KEYS = 100

/** Reads of one moment go out as one operation: each operation costs more than all the keys it can carry. */
export function createKvReader(kv: ReadableKv): KvReader {
  let waiting: Map<string, Promise<KvEntry | null>> | null = null
  let answer: Promise<Map<string, Read>> | null = null

  async function operation(asked: ReadonlyMap<string, unknown>): Promise<Map<string, Read>> {
    // Deferred by a microtask, so that whoever asks in the same moment is in it.
    await Promise.resolve()
    waiting = null
    answer = null
    const options = { type: "text", cacheTtl: EDGE_TTL_SECONDS } as const
    const [key = "", ...others] = asked.keys()
    if (others.length > 0) return kv.getWithMetadata([key, ...others], options)
    return new Map([[key, await kv.getWithMetadata(key, options)]])
  }

  return {
    get(key) {
      const asked = waiting && waiting.size < MAX_KEYS ? waiting : new Map<string, Promise<KvEntry | null>>()
      if (asked !== waiting || !answer) {
        waiting = asked
        answer = operation(asked)
      }
      const known = asked.get(key)
      if (known) return known
      const entry = answer.then((entries) => {
        const found = entries.get(key)
        return found?.value == null ? null : { value: found.value, metadata: found.metadata }
      })
      asked.set(key, entry)
      return entry
    },
  }
}

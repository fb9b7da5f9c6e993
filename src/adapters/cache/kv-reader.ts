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

  async function operation(asked: ReadonlyMap<string, unknown>): Promise<Map<string, Read>> {
    // Deferred by a microtask, so that all reads of the same moment are included.
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

/** The part of a KV namespace that is used for reading. Several keys are one operation. */
export interface ReadableKv {
  getWithMetadata(
    keys: string[],
    options: { type: "text"; cacheTtl: number },
  ): Promise<Map<string, { value: string | null; metadata: unknown }>>
}

export interface KvEntry {
  readonly value: string
  readonly metadata: unknown
}

export interface KvReader {
  get(key: string): Promise<KvEntry | null>
}

/** KV's shortest: a value read here is served for at most this long after it changed elsewhere. */
const EDGE_TTL_SECONDS = 60
/** What one operation may ask for. */
const MAX_KEYS = 100

/** Reads of one moment go out as one operation: each operation costs more than all the keys it can carry. */
export function createKvReader(kv: ReadableKv): KvReader {
  let waiting: Map<string, Promise<KvEntry | null>> | null = null
  let answer: Promise<Map<string, { value: string | null; metadata: unknown }>> | null = null

  function operation(keys: () => string[]) {
    // Deferred by a microtask, so that whoever asks in the same moment is in it.
    return Promise.resolve().then(() => {
      waiting = null
      answer = null
      return kv.getWithMetadata(keys(), { type: "text", cacheTtl: EDGE_TTL_SECONDS })
    })
  }

  return {
    get(key) {
      const asked = waiting && waiting.size < MAX_KEYS ? waiting : new Map<string, Promise<KvEntry | null>>()
      if (asked !== waiting || !answer) {
        waiting = asked
        answer = operation(() => [...asked.keys()])
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

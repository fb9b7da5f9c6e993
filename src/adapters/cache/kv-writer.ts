import type { Clock } from "../platform.ts"
import type { WritableKv } from "./kv-reader.ts"

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

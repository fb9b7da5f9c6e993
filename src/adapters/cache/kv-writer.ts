import type { Clock } from "../platform.ts"
import type { WritableKv } from "./kv-reader.ts"

/** KV takes one write of a key in a second, a removal among them. */
const PAUSE_MS = 1_100
/** What is left of a crowd that writes one key is refused: its callers try again. */
const TRIES = 5

/** Writes to KV; one that comes too soon after another of its key waits its turn. What is never refused waits for nothing. */
export function createKvWriter(kv: WritableKv, { sleep }: Pick<Clock, "sleep">): WritableKv {
  async function inTurn(write: () => Promise<void>): Promise<void> {
    for (let left = TRIES - 1; ; left--) {
      try {
        return await write()
      } catch (error) {
        if (left === 0 || !isTooSoon(error)) throw error
        await sleep(PAUSE_MS)
      }
    }
  }
  return {
    put: (key, value, options) => inTurn(() => kv.put(key, value, options)),
    delete: (key) => inTurn(() => kv.delete(key)),
  }
}

/** "KV PUT failed: 429 Too Many Requests": the platform says it in words only. */
function isTooSoon(error: unknown): boolean {
  return error instanceof Error && error.message.includes("429")
}

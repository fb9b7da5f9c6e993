import type { Context } from "hono"
import type { AppEnv } from "./endpoint.ts"

/** What is still taken in of a refused request before the connection is cut after all: more than the largest body allowed. */
const MAX_BYTES = 128_000_000
const MAX_MS = 5_000

/**
 * Takes in the rest of a refused body. Answered earlier, a client that is still writing sees a broken pipe and never the
 * answer that tells it why.
 */
export async function drainRefused(c: Context<AppEnv>): Promise<void> {
  const { body, bodyUsed } = c.req.raw
  if (!body || bodyUsed || body.locked) return
  const { clock } = c.get("deps")
  const endsAt = clock.now() + MAX_MS
  const reader = body.getReader()
  let bytes = 0
  while (bytes < MAX_BYTES && clock.now() < endsAt) {
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }))
    if (done) return
    bytes += value?.byteLength ?? 0
  }
  await reader.cancel().catch(() => undefined)
}

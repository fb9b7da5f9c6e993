import type { Context } from "hono"
import type { AppEnv } from "./endpoint.ts"

/** Bytes to read of a refused request before the connection closes: more than the largest body allowed. */
const MAX_BYTES = 128_000_000
const MAX_MS = 5_000

/**
 * Reads the rest of a refused body. Otherwise a client that still writes sees a broken pipe instead of the response
 * with the reason.
 */
export async function drainRefused(c: Context<AppEnv>): Promise<void> {
  const { body, bodyUsed } = c.req.raw
  if (!body || bodyUsed || body.locked) return
  const { clock } = c.get("ctx")
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

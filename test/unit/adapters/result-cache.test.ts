import { expect, test } from "vitest"
import type { KvEntry } from "../../../src/adapters/cache/kv-reader.ts"
import { type CachedResult, createResultCache } from "../../../src/adapters/cache/result-cache.ts"

const NOW = Date.UTC(2026, 10, 22)
const result = (json: string): CachedResult => ({
  json,
  canSend: true,
  canSendIfReceived: true,
  verifiedAt: NOW,
  expiresAt: NOW + 86_400_000,
})

/** A cache whose reads wait until the test supplies the stored value. */
function slowCache() {
  const reads: ((entry: KvEntry) => void)[] = []
  const reader = { get: () => new Promise<KvEntry>((resolve) => reads.push(resolve)) }
  const kv = { put: async () => undefined, delete: async () => undefined }
  const old: KvEntry = { value: "old", metadata: { v: NOW, e: NOW + 86_400_000, s: true, r: true } }
  const letOldThrough = () => {
    for (const read of reads) read(old)
  }
  return { cache: createResultCache(kv, reader, () => NOW), letOldThrough }
}

test.each([
  ["is written", "one", (cache: ReturnType<typeof createResultCache>) => cache.put("one", result("new")), "new"],
  ["is deleted", "two", (cache: ReturnType<typeof createResultCache>) => cache.delete("two"), undefined],
])("a pending read while a result %s does not restore the old result", async (_, hash, change, expected) => {
  const { cache, letOldThrough } = slowCache()
  const reading = cache.get(hash)
  await change(cache)
  letOldThrough()
  expect((await reading)?.json).toBe(expected)
  expect((await cache.get(hash))?.json).toBe(expected)
})

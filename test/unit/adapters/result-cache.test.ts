import { describe, expect, test } from "vitest"
import { createKvReader, type KvEntry } from "../../../src/adapters/cache/kv-reader.ts"
import { createResultCache, type ResultToCache } from "../../../src/adapters/cache/result-cache.ts"
import { memoryKv } from "../../support/deps/memory-kv.ts"

const NOW = Date.UTC(2026, 10, 22)
const EVIDENCE = { domain: null, mailbox: null, probeProblem: "deadline" } as const
const result = (json: string): ResultToCache => ({
  json,
  evidence: EVIDENCE,
  canSend: true,
  canSendIfReceived: true,
  isTypo: false,
  classifier: null,
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

/** A cache with a clock that the test moves past the isolate's memory. */
function cacheWithClock() {
  const { kv } = memoryKv()
  const time = { now: NOW }
  const cache = createResultCache(kv, createKvReader(kv), () => time.now)
  return { cache, kv, time }
}

test("an entry has the checks and the evidence, which are read apart", async () => {
  const { cache, time } = cacheWithClock()
  await cache.put("both", result('{"status":"valid"}'))
  time.now += 11_000
  const entry = await cache.get("both")
  expect(entry?.json).toBe('{"status":"valid"}')
  expect(cache.evidenceOf(entry!)).toEqual(EVIDENCE)
})

test("an entry without evidence is a hit without evidence", async () => {
  const { cache, kv } = cacheWithClock()
  const metadata = { v: NOW, e: NOW + 86_400_000, s: true, r: true }
  await kv.put("r:bare", "{}", { expirationTtl: 86_400, metadata })
  const entry = await cache.get("bare")
  expect(entry?.json).toBe("{}")
  expect(cache.evidenceOf(entry!)).toBeNull()
})

test("this isolate sees a result before its write has ended", async () => {
  const never = new Promise<void>(() => undefined)
  const { kv } = memoryKv(() => never)
  const cache = createResultCache(kv, createKvReader(kv), () => NOW)
  void cache.put("at-once", result("{}"))
  expect((await cache.get("at-once"))?.json).toBe("{}")
})

test("an entry is completed once a minute, unless it was deleted", async () => {
  const { cache, time } = cacheWithClock()
  expect(cache.startCompletion("minute")).toBe(true)
  expect(cache.startCompletion("minute")).toBe(false)
  time.now += 60_000
  expect(cache.startCompletion("minute")).toBe(true)
  await cache.delete("minute")
  expect(cache.startCompletion("minute")).toBe(true)
})

describe("a miss of the database", () => {
  test("is known for three seconds", () => {
    const { cache, time } = cacheWithClock()
    cache.recordMiss("missing")
    expect(cache.isKnownMiss("missing")).toBe(true)
    time.now += 3_000
    expect(cache.isKnownMiss("missing")).toBe(false)
  })

  test("ends when a result is stored", async () => {
    const { cache } = cacheWithClock()
    cache.recordMiss("found")
    await cache.put("found", result("{}"))
    expect(cache.isKnownMiss("found")).toBe(false)
  })

  test("is no miss when a result was stored during the read", async () => {
    const { cache } = cacheWithClock()
    await cache.put("meanwhile", result("{}"))
    cache.recordMiss("meanwhile")
    expect(cache.isKnownMiss("meanwhile")).toBe(false)
  })
})

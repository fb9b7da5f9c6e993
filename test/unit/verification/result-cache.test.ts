import { describe, expect, test } from "vitest"
import { countedCache } from "../../../src/adapters/admin/counter-buffer.ts"
import { createKvReader, type KvEntry } from "../../../src/adapters/cache.ts"
import {
  createResultCache,
  type ResultCache,
  type ResultToCache,
} from "../../../src/adapters/verification/result-cache.ts"
import { memoryKv } from "../../support/deps/memory-kv.ts"
import { ownNumber } from "../../support/deps/own-number.ts"

const NOW = Date.UTC(2026, 10, 22)
const EVIDENCE = { domain: null, mailbox: null, probeProblem: "deadline" } as const
const ownHash = () => `result-cache-${ownNumber()}`
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

test("counts no read that is not a lookup", async () => {
  const counted: string[] = []
  const kv = { put: async () => undefined, delete: async () => undefined }
  const empty = createResultCache(kv, { get: async () => null }, () => NOW)
  const cache = countedCache(empty, { count: (name) => void counted.push(name) })
  await cache.get(ownHash(), { isLookup: false })
  expect(counted).toEqual([])
  await cache.get(ownHash())
  expect(counted).toEqual(["cache:edge:miss"])
})

test.each([
  ["is written", (cache: ResultCache, hash: string) => cache.put(hash, result("new")), "new"],
  ["is deleted", (cache: ResultCache, hash: string) => cache.delete(hash), undefined],
])("a pending read while a result %s does not restore the old result", async (_, change, expected) => {
  const { cache, letOldThrough } = slowCache()
  const hash = ownHash()
  const reading = cache.get(hash)
  await change(cache, hash)
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
  const hash = ownHash()
  await cache.put(hash, result('{"status":"valid"}'))
  time.now += 11_000
  const entry = await cache.get(hash)
  expect(entry?.json).toBe('{"status":"valid"}')
  expect(cache.evidenceOf(entry!)).toEqual(EVIDENCE)
})

test("an entry without evidence is a hit without evidence", async () => {
  const { cache, kv } = cacheWithClock()
  const hash = ownHash()
  const metadata = { v: NOW, e: NOW + 86_400_000, s: true, r: true }
  await kv.put(`r:${hash}`, "{}", { expirationTtl: 86_400, metadata })
  const entry = await cache.get(hash)
  expect(entry?.json).toBe("{}")
  expect(cache.evidenceOf(entry!)).toBeNull()
})

test("this isolate sees a result before its write has ended", async () => {
  const never = new Promise<void>(() => undefined)
  const { kv } = memoryKv(() => never)
  const cache = createResultCache(kv, createKvReader(kv), () => NOW)
  const hash = ownHash()
  void cache.put(hash, result("{}"))
  expect((await cache.get(hash))?.json).toBe("{}")
})

test("an entry is completed once a minute, unless it was deleted", async () => {
  const { cache, time } = cacheWithClock()
  const hash = ownHash()
  expect(cache.startCompletion(hash)).toBe(true)
  expect(cache.startCompletion(hash)).toBe(false)
  time.now += 60_000
  expect(cache.startCompletion(hash)).toBe(true)
  await cache.delete(hash)
  expect(cache.startCompletion(hash)).toBe(true)
})

describe("a miss of the database", () => {
  test("is known for three seconds", () => {
    const { cache, time } = cacheWithClock()
    const hash = ownHash()
    cache.recordMiss(hash)
    expect(cache.isKnownMiss(hash)).toBe(true)
    time.now += 3_000
    expect(cache.isKnownMiss(hash)).toBe(false)
  })

  test("ends when a result is stored", async () => {
    const { cache } = cacheWithClock()
    const hash = ownHash()
    cache.recordMiss(hash)
    await cache.put(hash, result("{}"))
    expect(cache.isKnownMiss(hash)).toBe(false)
  })

  test("is no miss when a result was stored during the read", async () => {
    const { cache } = cacheWithClock()
    const hash = ownHash()
    await cache.put(hash, result("{}"))
    cache.recordMiss(hash)
    expect(cache.isKnownMiss(hash)).toBe(false)
  })
})

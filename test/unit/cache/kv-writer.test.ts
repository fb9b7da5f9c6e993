import { expect, test } from "vitest"
import { createKvReader, type WritableKv } from "../../../src/adapters/cache/kv-reader.ts"
import { createKvWriter } from "../../../src/adapters/cache/kv-writer.ts"
import { createMarkCache } from "../../../src/adapters/cache/mark-cache.ts"
import { createResultCache } from "../../../src/adapters/cache/result-cache.ts"
import { memoryKv } from "../../support/memory-kv.ts"

/** KV as Cloudflare has it: of the writes of one key it takes one a second. */
function pacedKv() {
  const { kv, entries } = memoryKv()
  const [writtenAt, clock] = [new Map<string, number>(), { now: 0, slept: 0 }]
  const paced =
    <Rest extends unknown[]>(name: string, write: (key: string, ...rest: Rest) => Promise<void>) =>
    async (key: string, ...rest: Rest) => {
      const at = writtenAt.get(key) ?? Number.NEGATIVE_INFINITY
      if (clock.now < at + 1_000) throw new Error(`KV ${name} failed: 429 Too Many Requests`)
      writtenAt.set(key, clock.now)
      await write(key, ...rest)
    }
  const sleep = async (ms: number) => {
    clock.now += ms
    clock.slept += ms
  }
  const strict: WritableKv = { put: paced("PUT", kv.put), delete: paced("DELETE", kv.delete) }
  return { writer: createKvWriter(strict, { sleep }), reader: createKvReader(kv), entries, clock }
}

const FOREVER = { suppression: { expiresAt: null }, isReceived: false }

test("a mark that is taken away again at once, and one that is set again, are written in their turn", async () => {
  const { writer, reader, entries, clock } = pacedKv()
  const marks = createMarkCache(writer, reader, () => clock.now)
  await marks.put("acc_turns", "h1", FOREVER)
  await marks.put("acc_turns", "h1", null)
  expect(entries.has("s:acc_turns:h1")).toBe(false)
  await marks.put("acc_turns", "h1", FOREVER)
  expect(entries.get("s:acc_turns:h1")).toBe('{"u":0}')
})

test("a result is taken out of the cache as often as an erasure makes sure of it", async () => {
  const { writer, reader, entries, clock } = pacedKv()
  const cache = createResultCache(writer, reader, () => clock.now)
  const result = { json: "{}", canSend: true, canSendIfReceived: true, verifiedAt: 0, expiresAt: 3_600_000 }
  await cache.put("h2", result)
  for (let times = 0; times < 3; times++) await cache.delete("h2")
  expect(entries.size).toBe(0)
})

test("different keys wait for nothing", async () => {
  const { writer, clock } = pacedKv()
  await Promise.all(["a", "b", "c"].map((key) => writer.put(key, "1")))
  expect(clock.slept).toBe(0)
})

test("another failure is told at once, and a key that is never free in the end", async () => {
  let [calls, why] = [0, "KV PUT failed: 500 Internal Server Error"]
  const put = async () => {
    calls++
    throw new Error(why)
  }
  const writer = createKvWriter({ put, delete: put }, { sleep: async () => undefined })
  await expect(writer.put("a", "1")).rejects.toThrow("500")
  expect(calls).toBe(1)
  why = "KV PUT failed: 429 Too Many Requests"
  await expect(writer.put("a", "1")).rejects.toThrow("429")
  expect(calls).toBe(6)
})

import { expect, test } from "vitest"
import { createKvReader, createKvWriter, type WritableKv } from "../../../src/adapters/cache.ts"
import { createFlagCache } from "../../../src/adapters/suppression/flag-cache.ts"
import { createResultCache } from "../../../src/adapters/verification/result-cache.ts"
import { NO_REPORTS } from "../../../src/domain/suppression/flags.ts"
import { memoryKv } from "../../support/deps/memory-kv.ts"

/** Like Cloudflare's KV: one write per key each second. */
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

const FOREVER = { suppression: { expiresAt: null }, ...NO_REPORTS, hidesUntil: 0 }

test("a flag that is deleted and set again at once is written in order", async () => {
  const { writer, reader, entries, clock } = pacedKv()
  const flags = createFlagCache(writer, reader, () => clock.now)
  await flags.put("acc_turns", "h1", FOREVER)
  await flags.put("acc_turns", "h1", null)
  expect(entries.has("s:acc_turns:h1")).toBe(false)
  await flags.put("acc_turns", "h1", FOREVER)
  expect(entries.get("s:acc_turns:h1")).toBe('{"u":0}')
})

test("repeated deletions of a result by an erasure succeed", async () => {
  const { writer, reader, entries, clock } = pacedKv()
  const cache = createResultCache(writer, reader, () => clock.now)
  const evidence = { domain: null, mailbox: null, probeProblem: null }
  const result = {
    json: "{}",
    canSend: true,
    canSendIfReceived: true,
    isTypo: false,
    classifier: null,
    verifiedAt: 0,
    expiresAt: 3_600_000,
    evidence,
  }
  await cache.put("h2", result)
  for (let times = 0; times < 3; times++) await cache.delete("h2")
  expect(entries.size).toBe(0)
})

test("writes of different keys do not wait", async () => {
  const { writer, clock } = pacedKv()
  await Promise.all(["a", "b", "c"].map((key) => writer.put(key, "1")))
  expect(clock.slept).toBe(0)
})

test("another error is thrown at once, and the error of a busy key after the last attempt", async () => {
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

import { expect, test } from "vitest"
import { createKvReader, type ReadableKv } from "../../../src/adapters/cache.ts"

function kvOf(entries: Record<string, string>) {
  const calls: (string | string[])[] = []
  const read = (key: string) => ({ value: entries[key] ?? null, metadata: { of: key } })
  const kv = {
    getWithMetadata: async (keys: string | string[]) => {
      calls.push(keys)
      return typeof keys === "string" ? read(keys) : new Map(keys.map((key) => [key, read(key)]))
    },
  }
  return { kv: kv as ReadableKv, calls }
}

test("reads of one moment are one operation, each key once", async () => {
  const { kv, calls } = kvOf({ a: "1", b: "2" })
  const reader = createKvReader(kv)
  const answers = await Promise.all([reader.get("a"), reader.get("b"), reader.get("a"), reader.get("none")])
  expect(answers.map((one) => one?.value ?? null)).toEqual(["1", "2", "1", null])
  expect(answers[1]?.metadata).toEqual({ of: "b" })
  expect(calls).toEqual([["a", "b", "none"]])
})

test("a later read is a new operation, for a single key by itself", async () => {
  const { kv, calls } = kvOf({ a: "1" })
  const reader = createKvReader(kv)
  await reader.get("a")
  await reader.get("a")
  expect(calls).toEqual(["a", "a"])
})

test("an operation never exceeds the limit of keys", async () => {
  const { kv, calls } = kvOf({})
  const reader = createKvReader(kv)
  await Promise.all(Array.from({ length: 250 }, (_, i) => reader.get(`k${i}`)))
  expect(calls.map((keys) => keys.length)).toEqual([100, 100, 50])
})

test("a failure rejects every waiting read", async () => {
  const reader = createKvReader({ getWithMetadata: () => Promise.reject<never>(new Error("KV is down")) })
  const answers = await Promise.allSettled([reader.get("a"), reader.get("b")])
  expect(answers.map(({ status }) => status)).toEqual(["rejected", "rejected"])
})

import { expect, test } from "vitest"
import { createDnsMemory } from "../../../src/adapters/dns/memory.ts"

const records = (ttlSeconds: number, text = "x") => ({ kind: "records" as const, records: [text], ttlSeconds })

test("caches no answer longer than an hour", () => {
  const memory = createDnsMemory()
  memory.store("a", records(86_400), 0)
  expect(memory.get("a", 0)).toMatchObject({ ttlSeconds: 3_600 })
  expect(memory.get("a", 3_600_000)).toBeNull()
})

test("caches neither failures nor answers without a lifetime", () => {
  const memory = createDnsMemory(1)
  memory.store("kept", records(60), 0)
  memory.store("a", { kind: "failure", reason: "servfail", detail: "" }, 0)
  memory.store("b", records(0), 0)
  expect([memory.get("a", 0), memory.get("b", 0)]).toEqual([null, null])
  expect(memory.get("kept", 0), "no entry was evicted").not.toBeNull()
})

test("evicts the least recently used answer first", () => {
  const memory = createDnsMemory(2)
  memory.store("a", records(60), 0)
  memory.store("b", records(60), 0)
  memory.get("a", 0)
  memory.store("c", records(60), 0)
  expect(["a", "b", "c"].map((key) => memory.get(key, 0) !== null)).toEqual([true, false, true])
})

test("does not cache oversized answers", () => {
  const memory = createDnsMemory()
  memory.store("a", records(60, "x".repeat(20_000)), 0)
  expect(memory.get("a", 0)).toBeNull()
})

test("ends the penalty of a resolver after a while", () => {
  const memory = createDnsMemory()
  memory.recordFailure("https://first.test/", 0)
  expect(memory.penalty("https://first.test/", 9_999)).toBeGreaterThan(0)
  expect(memory.penalty("https://first.test/", 10_000)).toBe(0)
  expect(memory.penalty("https://second.test/", 0)).toBe(0)
})

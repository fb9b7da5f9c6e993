import { expect, test } from "vitest"
import { createDnsMemory } from "../../../src/adapters/dns/memory.ts"

const records = (ttlSeconds: number, text = "x") => ({ kind: "records" as const, records: [text], ttlSeconds })

test("keeps nothing longer than an hour", () => {
  const memory = createDnsMemory()
  memory.keep("a", records(86_400), 0)
  expect(memory.recall("a", 0)).toMatchObject({ ttlSeconds: 3_600 })
  expect(memory.recall("a", 3_600_000)).toBeNull()
})

test("keeps neither failures nor answers without a lifetime", () => {
  const memory = createDnsMemory(1)
  memory.keep("kept", records(60), 0)
  memory.keep("a", { kind: "failure", reason: "servfail", detail: "" }, 0)
  memory.keep("b", records(0), 0)
  expect([memory.recall("a", 0), memory.recall("b", 0)]).toEqual([null, null])
  expect(memory.recall("kept", 0), "nothing had to go for them").not.toBeNull()
})

test("forgets the least recently used first", () => {
  const memory = createDnsMemory(2)
  memory.keep("a", records(60), 0)
  memory.keep("b", records(60), 0)
  memory.recall("a", 0)
  memory.keep("c", records(60), 0)
  expect(["a", "b", "c"].map((key) => memory.recall(key, 0) !== null)).toEqual([true, false, true])
})

test("does not keep answers out of all proportion", () => {
  const memory = createDnsMemory()
  memory.keep("a", records(60, "x".repeat(20_000)), 0)
  expect(memory.recall("a", 0)).toBeNull()
})

test("forgives a resolver after a while", () => {
  const memory = createDnsMemory()
  memory.noteFailure("https://first.test/", 0)
  expect(memory.disgrace("https://first.test/", 9_999)).toBeGreaterThan(0)
  expect(memory.disgrace("https://first.test/", 10_000)).toBe(0)
  expect(memory.disgrace("https://second.test/", 0)).toBe(0)
})

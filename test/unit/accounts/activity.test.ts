import { expect, test } from "vitest"
import { sumActivity, sumHits } from "../../../src/domain/accounts/activity.ts"

const COUNTS = [
  { day: "2026-11-21", name: "verified:valid", count: 5 },
  { day: "2026-11-20", name: "verified:valid", count: 2 },
  { day: "2026-11-20", name: "verified:unknown", count: 1 },
  { day: "2026-11-20", name: "verified:nonsense", count: 9 },
  { day: "2026-11-20", name: "facts", count: 4 },
  { day: "2026-11-20", name: "cache:edge:hit", count: 2 },
  { day: "2026-11-21", name: "cache:edge:miss", count: 1 },
]

test("counts of one kind are summed by status and day", () => {
  expect(sumActivity(COUNTS, ["verified"])).toEqual({
    total: 8,
    byStatus: { valid: 7, invalid: 0, accept_all: 0, unknown: 1, invalid_syntax: 0 },
    days: [
      { date: "2026-11-20", count: 3 },
      { date: "2026-11-21", count: 5 },
    ],
  })
})

test("the hit rate is the share of all lookups, and null without any", () => {
  expect(sumHits(COUNTS, "edge")).toEqual({ hits: 2, misses: 1, rate: 0.6667 })
  expect(sumHits(COUNTS, "store")).toEqual({ hits: 0, misses: 0, rate: null })
})

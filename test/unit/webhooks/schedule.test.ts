import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { ATTEMPT_DELAYS_MS, isReceiverDead, nextAttemptAt, outcomeOf } from "../../../src/domain/webhooks/schedule.ts"

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 10, 21, 12)
const next = (attempts: number, more: Partial<Parameters<typeof nextAttemptAt>[0]> = {}) =>
  nextAttemptAt({ attempts, now: 0, chance: 0.5, retryAfterMs: null, ...more })

describe("the schedule of Standard Webhooks", () => {
  test("waits 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, then gives up", () => {
    const waits = Array.from({ length: 10 }, (_, n) => next(n + 1))
    const hours = [2, 5, 10, 14, 20, 24].map((n) => n * HOUR)
    expect(waits).toEqual([5_000, 300_000, 1_800_000, ...hours, null])
    expect(ATTEMPT_DELAYS_MS[0]).toBe(0)
    expect(next(11)).toBeNull()
  })

  test("every delay has a jitter of at most 20 percent", () => {
    const chances = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), chances, (attempts, chance) => {
        const ratio = next(attempts, { chance })! / ATTEMPT_DELAYS_MS[attempts]!
        expect(ratio).toBeGreaterThanOrEqual(0.8 - 1e-4)
        expect(ratio).toBeLessThanOrEqual(1.2 + 1e-4)
      }),
    )
    expect(next(1, { chance: 0 })).toBe(4_000)
    expect(next(1, { chance: 0.999_999 })).toBe(6_000)
  })

  test("a receiver may request a longer wait, up to a day, but not a shorter one", () => {
    expect(next(1, { retryAfterMs: 600_000 })).toBe(600_000)
    expect(next(1, { retryAfterMs: 1 })).toBe(5_000)
    expect(next(1, { retryAfterMs: 90 * HOUR })).toBe(24 * HOUR)
    expect(next(10, { retryAfterMs: 1 })).toBeNull()
  })
})

test.each([
  [200, "delivered"],
  [204, "delivered"],
  [299, "delivered"],
  [301, "redirected"],
  [307, "redirected"],
  [400, "refused"],
  [410, "gone"],
  [429, "refused"],
  [503, "refused"],
  [199, "refused"],
] as const)("status %i is %s", (status, outcome) => {
  expect(outcomeOf(status)).toBe(outcome)
})

test("a receiver is disabled after five days of failures only", () => {
  expect(isReceiverDead(NOW - 5 * 24 * HOUR + 1, NOW)).toBe(false)
  expect(isReceiverDead(NOW - 5 * 24 * HOUR, NOW)).toBe(true)
})

import { describe, expect, test } from "vitest"
import { waitBeforeRetry } from "../../../src/client/retry.ts"

const none = { retries: 0, throttles: 0, maxRetries: 3, chance: 0 }
const answer = (status: number, retryAfterSeconds: number | null = null) =>
  ({ kind: "answer", status, retryAfterSeconds }) as const

describe("retries as the interface says", () => {
  test.each([
    ["401 is never retried", answer(401), none, null],
    ["403 is never retried", answer(403), none, null],
    ["404 is never retried", answer(404), none, null],
    ["422 is never retried", answer(422), none, null],
    ["402 is never retried", answer(402), none, null],
    ["429 waits as told", answer(429, 7), { ...none, throttles: 1 }, 7_000],
    ["a second 429 waits twice as long", answer(429, 7), { ...none, retries: 1, throttles: 2 }, 14_000],
    ["a third four times", answer(429, 7), { ...none, retries: 2, throttles: 3 }, 28_000],
    ["a 429 that says nothing waits a second", answer(429), { ...none, throttles: 1 }, 1_000],
    ["500 backs off", answer(500), none, 500],
    ["and further", answer(500), { ...none, retries: 2 }, 2_000],
    ["503 waits at least as told", answer(503, 5), none, 5_000],
    ["a lost connection backs off", { kind: "no_answer" } as const, none, 500],
    ["three retries are enough", answer(500), { ...none, retries: 3 }, null],
    ["waits are spread", answer(500), { ...none, chance: 1 }, 625],
  ])("%s", (_, outcome, state, expected) => {
    expect(waitBeforeRetry(outcome, state)).toBe(expected)
  })
})

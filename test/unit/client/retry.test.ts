import { describe, expect, test } from "vitest"
import { waitBeforeRetry } from "../../../src/client/retry.ts"

const none = { retries: 0, throttles: 0, heldMs: 0, maxRetries: 3, mayRepeat: true, chance: 0 }
const noAnswer = { kind: "no_answer" } as const
const once = { ...none, mayRepeat: false }
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
    ["a lost connection backs off", noAnswer, none, 500],
    ["three retries are enough", answer(500), { ...none, retries: 3 }, null],
    ["waits are spread", answer(500), { ...none, chance: 1 }, 625],
    ["five minutes are waited", answer(429, 300), { ...none, throttles: 1 }, 300_000],
    ["more is given back at once", answer(429, 301), { ...none, throttles: 1 }, null],
    ["so is what doubling makes more", answer(429, 200), { ...none, retries: 1, throttles: 2 }, null],
    ["and a month, which no timer holds", answer(429, 2_678_400), { ...none, throttles: 1 }, null],
    ["and a long 503", answer(503, 3_600), none, null],
  ])("%s", (_, outcome, state, expected) => {
    expect(waitBeforeRetry(outcome, state)).toBe(expected)
  })
})

describe("a request whose first try is still at work", () => {
  test.each([
    ["409 without a time is final", answer(409), none, null],
    ["waits as told", answer(409, 2), none, 2_000],
    ["after the last retry too", answer(409, 2), { ...none, retries: 3 }, 2_000],
    ["but not where none are wanted", answer(409, 2), { ...none, maxRetries: 0 }, null],
    ["never without a pause", answer(409, 0), none, 500],
    ["each wait doubles the whole", answer(409, 2), { ...none, heldMs: 8_000 }, 8_000],
    ["up to 16 seconds", answer(409, 2), { ...none, heldMs: 64_000 }, 16_000],
    ["longer than the service holds it, not longer than that", answer(409, 2), { ...none, heldMs: 134_000 }, 16_000],
    ["then it is final", answer(409, 2), { ...none, heldMs: 134_001 }, null],
  ])("%s", (_, outcome, state, expected) => {
    expect(waitBeforeRetry(outcome, state)).toBe(expected)
  })
})

describe("what shows a secret once", () => {
  test.each([
    ["no answer is final", noAnswer, null],
    ["500 is final", answer(500), null],
    ["502 is final", answer(502), null],
    ["429 says it was not done", answer(429, 7), 7_000],
    ["503 does not say that it was not done", answer(503), null],
  ])("%s", (_, outcome, expected) => {
    expect(waitBeforeRetry(outcome, { ...once, throttles: 1 })).toBe(expected)
  })
})

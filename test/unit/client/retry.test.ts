import { describe, expect, test } from "vitest"
import { waitBeforeRetry } from "../../../src/client/retry.ts"

const none = { retries: 0, throttles: 0, inProgressMs: 0, maxRetries: 3, mayRepeat: true, jitter: 0 }
const noAnswer = { kind: "no_answer" } as const
const once = { ...none, mayRepeat: false }
const answer = (status: number, retryAfterSeconds: number | null = null) =>
  ({ kind: "answer", status, retryAfterSeconds }) as const

describe("waitBeforeRetry", () => {
  test.each([
    ["401 is never retried", answer(401), none, null],
    ["403 is never retried", answer(403), none, null],
    ["404 is never retried", answer(404), none, null],
    ["422 is never retried", answer(422), none, null],
    ["402 is never retried", answer(402), none, null],
    ["429 waits for Retry-After", answer(429, 7), { ...none, throttles: 1 }, 7_000],
    ["a second 429 waits twice as long", answer(429, 7), { ...none, retries: 1, throttles: 2 }, 14_000],
    ["a third 429 waits four times as long", answer(429, 7), { ...none, retries: 2, throttles: 3 }, 28_000],
    ["a 429 without Retry-After waits 1 s", answer(429), { ...none, throttles: 1 }, 1_000],
    ["500 backs off", answer(500), none, 500],
    ["a third 500 backs off further", answer(500), { ...none, retries: 2 }, 2_000],
    ["503 waits at least for Retry-After", answer(503, 5), none, 5_000],
    ["a lost connection backs off", noAnswer, none, 500],
    ["no retry after three retries", answer(500), { ...none, retries: 3 }, null],
    ["jitter adds up to a quarter", answer(500), { ...none, jitter: 1 }, 625],
    ["a wait of five minutes is accepted", answer(429, 300), { ...none, throttles: 1 }, 300_000],
    ["a longer wait is final", answer(429, 301), { ...none, throttles: 1 }, null],
    ["a wait that doubling makes longer is final", answer(429, 200), { ...none, retries: 1, throttles: 2 }, null],
    ["a wait of a month is final", answer(429, 2_678_400), { ...none, throttles: 1 }, null],
    ["a 503 with a long Retry-After is final", answer(503, 3_600), none, null],
  ])("%s", (_, outcome, state, expected) => {
    expect(waitBeforeRetry(outcome, state)).toBe(expected)
  })
})

describe("a request in progress (409 with Retry-After)", () => {
  test.each([
    ["409 without Retry-After is final", answer(409), none, null],
    ["waits for Retry-After", answer(409, 2), none, 2_000],
    ["also waits after the last retry", answer(409, 2), { ...none, retries: 3 }, 2_000],
    ["is final when retries are disabled", answer(409, 2), { ...none, maxRetries: 0 }, null],
    ["waits at least 500 ms", answer(409, 0), none, 500],
    ["each wait doubles the total", answer(409, 2), { ...none, inProgressMs: 8_000 }, 8_000],
    ["a wait is at most 16 s", answer(409, 2), { ...none, inProgressMs: 64_000 }, 16_000],
    ["waits up to 150 s in total", answer(409, 2), { ...none, inProgressMs: 134_000 }, 16_000],
    ["is final after 150 s", answer(409, 2), { ...none, inProgressMs: 134_001 }, null],
  ])("%s", (_, outcome, state, expected) => {
    expect(waitBeforeRetry(outcome, state)).toBe(expected)
  })
})

describe("an operation that shows a secret once", () => {
  test.each([
    ["no answer is final", noAnswer, null],
    ["500 is final", answer(500), null],
    ["502 is final", answer(502), null],
    ["429 is retried, because the request had no effect", answer(429, 7), 7_000],
    ["503 is final, because the request may have taken effect", answer(503), null],
  ])("%s", (_, outcome, expected) => {
    expect(waitBeforeRetry(outcome, { ...once, throttles: 1 })).toBe(expected)
  })
})

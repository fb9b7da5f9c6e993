import { describe, expect, test } from "vitest"
import type { Verdict } from "../../../src/domain/verification/judge.ts"
import { nextAttempt, pauseWithoutNode, retriesUntil } from "../../../src/domain/verification/next-attempt.ts"

const verdict = (finding: Verdict["finding"], retryAfterSeconds: number | null = null) =>
  ({ finding, reply: { retryAfterSeconds } }) as Verdict
const delaysMs = [360_000, 1_800_000]

describe("the next attempt, of a single address and of one in a list,", () => {
  test.each([
    ["greylisted", verdict("greylisted"), 0, 360_000, 360_000],
    ["greylisted without a reply", { ...verdict("greylisted"), reply: null }, 0, 360_000, 360_000],
    ["greylisted for longer than the configured delay", verdict("greylisted", 900), 0, 900_000, 900_000],
    ["greylisted for an hour", verdict("greylisted", 3_600), 0, 3_600_000, 3_600_000],
    ["greylisted for longer than an hour", verdict("greylisted", 172_800), 0, 3_600_000, 3_600_000],
    ["greylisted for a week, at the last attempt", verdict("greylisted", 604_800), 1, 3_600_000, 3_600_000],
    ["greylisted for a shorter time than the delay", verdict("greylisted", 5), 0, 360_000, 360_000],
    ["a temporary failure, again", verdict("temporary_failure"), 1, 1_800_000, 1_800_000],
    ["all attempts used", verdict("greylisted"), 2, null, null],
    ["all attempts used, and a requested wait", verdict("greylisted", 600), 2, null, null],
    ["throttled at the first probe", verdict("throttled"), 0, null, 360_000],
    ["no node for the first probe", verdict("no_probe_node"), 0, null, 360_000],
    ["unreachable at the first probe", verdict("unreachable"), 0, null, 360_000],
    ["a resolver unreachable at the first probe", verdict("dns_failure"), 0, null, 360_000],
    ["throttled at an attempt", verdict("throttled"), 1, 1_800_000, 1_800_000],
    ["no node for an attempt", verdict("no_probe_node"), 1, 1_800_000, 1_800_000],
    ["a server unreachable at an attempt", verdict("unreachable"), 1, 1_800_000, 1_800_000],
    ["a resolver unreachable at an attempt", verdict("dns_failure"), 1, 1_800_000, 1_800_000],
    ["unreachable, all attempts used", verdict("unreachable"), 2, null, null],
    ["a missing mailbox", verdict("mailbox_missing"), 0, null, null],
    ["a full mailbox", verdict("mailbox_full"), 0, null, null],
    ["a refused probe", verdict("refused_probe"), 0, null, null],
  ])("after %s", (_, found, attempt, ofAddress, ofList) => {
    expect(nextAttempt(found, attempt, { of: "address", delaysMs })).toBe(ofAddress)
    expect(nextAttempt(found, attempt, { of: "list", delaysMs })).toBe(ofList)
  })
})

test.each([
  ["after the first pass", { lastRetryAt: 1_000, passes: 1, delaysMs: [10, 20, 30], endsAt: null }, 1_050],
  ["before the last pass", { lastRetryAt: 1_000, passes: 3, delaysMs: [10, 20, 30], endsAt: null }, 1_000],
  ["with a limit", { lastRetryAt: 1_000, passes: 1, delaysMs: [10, 20, 30], endsAt: 1_020 }, 1_020],
])("the last retry is due %s", (_, plan, expected) => {
  expect(retriesUntil(plan)).toBe(expected)
})

test("a chunk without a probe node runs again soon, until its passes count", () => {
  expect([0, 11, 12].map(pauseWithoutNode)).toEqual([20_000, 20_000, null])
})

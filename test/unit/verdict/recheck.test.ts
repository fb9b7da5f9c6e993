import { expect, test } from "vitest"
import type { Verdict } from "../../../src/domain/verdict/judge.ts"
import { nextCheckAt } from "../../../src/domain/verdict/recheck.ts"

const verdict = (finding: Verdict["finding"], retryAfterSeconds: number | null = null) =>
  ({ finding, reply: { retryAfterSeconds } }) as Verdict
const delaysMs = [360_000, 1_800_000]

test.each([
  ["greylisted", verdict("greylisted"), 0, 1_360_000],
  ["greylisted for longer than the configured delay", verdict("greylisted", 900), 0, 1_900_000],
  ["greylisted for an hour", verdict("greylisted", 3_600), 0, 4_600_000],
  ["greylisted for longer than an hour", verdict("greylisted", 172_800), 0, 4_600_000],
  ["greylisted for a week, at the last recheck", verdict("greylisted", 604_800), 1, 4_600_000],
  ["greylisted for a shorter time than the delay", verdict("greylisted", 5), 0, 1_360_000],
  ["a temporary failure, again", verdict("temporary_failure"), 1, 2_800_000],
  ["all rechecks used", verdict("greylisted"), 2, null],
  ["throttled at the first probe", verdict("throttled"), 0, null],
  ["throttled at a recheck", verdict("throttled"), 1, 2_800_000],
  ["no node for a recheck", verdict("no_probe_node"), 1, 2_800_000],
  ["a server unreachable at a recheck", verdict("unreachable"), 1, 2_800_000],
  ["a resolver unreachable at a recheck", verdict("dns_failure"), 1, 2_800_000],
  ["unreachable, all rechecks used", verdict("unreachable"), 2, null],
  ["a missing mailbox", verdict("mailbox_missing"), 0, null],
  ["a refused probe", verdict("refused_probe"), 0, null],
])("%s", (_, found, attempt, expected) => {
  expect(nextCheckAt(found, { attempt, from: 1_000_000, delaysMs })).toBe(expected)
})

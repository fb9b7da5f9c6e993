import { expect, test } from "vitest"
import type { Verdict } from "../../src/domain/verdict/judge.ts"
import { nextCheckAt } from "../../src/domain/verdict/recheck.ts"

const verdict = (finding: Verdict["finding"], retryAfterSeconds: number | null = null) =>
  ({ finding, reply: { retryAfterSeconds } }) as Verdict
const delaysMs = [360_000, 1_800_000]

test.each([
  ["greylisted", verdict("greylisted"), 0, 1_360_000],
  ["greylisted for longer than we would wait", verdict("greylisted", 900), 0, 1_900_000],
  ["greylisted for a moment", verdict("greylisted", 5), 0, 1_360_000],
  ["a temporary failure, again", verdict("temporary_failure"), 1, 2_800_000],
  ["asked often enough", verdict("greylisted"), 2, null],
  ["put off by us on the first visit", verdict("throttled"), 0, null],
  ["put off by us on a later one", verdict("throttled"), 1, 2_800_000],
  ["no node to ask again from", verdict("no_probe_node"), 1, 2_800_000],
  ["a server out of reach when it was asked again", verdict("unreachable"), 1, 2_800_000],
  ["a resolver out of reach when it was asked again", verdict("dns_failure"), 1, 2_800_000],
  ["in trouble often enough", verdict("unreachable"), 2, null],
  ["a mailbox that is missing", verdict("mailbox_missing"), 0, null],
  ["a refusal of us", verdict("refused_probe"), 0, null],
])("%s", (_, found, attempt, expected) => {
  expect(nextCheckAt(found, { attempt, from: 1_000_000, delaysMs })).toBe(expected)
})

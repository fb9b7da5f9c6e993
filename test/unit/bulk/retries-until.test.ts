import { expect, test } from "vitest"
import { retriesUntil } from "../../../src/domain/bulk/retry-plan.ts"

test.each([
  ["after the first pass", { lastRetryAt: 1_000, passes: 1, delaysMs: [10, 20, 30], endsAt: null }, 1_050],
  ["before the last pass", { lastRetryAt: 1_000, passes: 3, delaysMs: [10, 20, 30], endsAt: null }, 1_000],
  ["with a limit", { lastRetryAt: 1_000, passes: 1, delaysMs: [10, 20, 30], endsAt: 1_020 }, 1_020],
])("the last retry is due %s", (_, plan, expected) => {
  expect(retriesUntil(plan)).toBe(expected)
})

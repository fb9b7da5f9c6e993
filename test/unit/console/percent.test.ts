import { expect, test } from "vitest"
import { percent } from "../../../src/console/words.ts"

test.each([
  [0, 1, "0%"],
  [1 / 2_100, 1, "under 0.1%"],
  [0.001, 1, "0.1%"],
  [0.123, 1, "12.3%"],
  [0.999, 1, "99.9%"],
  [2_099 / 2_100, 1, "over 99.9%"],
  [1, 1, "100%"],
  [1.2, 1, "120.0%"],
  [0.004, 0, "under 1%"],
  [0.996, 0, "over 99%"],
])("a share of %d with %d digits", (share, digits, words) => {
  expect(percent(share, digits)).toBe(words)
})

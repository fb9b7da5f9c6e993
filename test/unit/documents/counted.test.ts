import { expect, test } from "vitest"
import { counted } from "../../../src/domain/counted.ts"

test.each([
  [0, "row", undefined, "0 rows"],
  [1, "row", undefined, "1 row"],
  [2, "row", undefined, "2 rows"],
  [12_345, "row", undefined, "12,345 rows"],
  [1, "address", "addresses", "1 address"],
  [3, "address", "addresses", "3 addresses"],
] as const)("%s of %s", (amount, noun, plural, expected) => {
  expect(counted(amount, noun, plural)).toBe(expected)
})

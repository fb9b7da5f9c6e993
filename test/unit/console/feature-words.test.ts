import { expect, test } from "vitest"
import { FEATURE_WORDS } from "../../../src/console/pages/model/feature-words.ts"
import { decimal } from "../../../src/console/words.ts"
import { FEATURES } from "../../../src/domain/learning/features.ts"

test("every feature of the model has words of its own", () => {
  expect(Object.keys(FEATURE_WORDS).toSorted()).toEqual([...FEATURES].toSorted())
  expect(new Set(Object.values(FEATURE_WORDS)).size).toBe(FEATURES.length)
})

test.each([
  [-0.416, "−0.42"],
  [-0.001, "0.00"],
  [1.5, "1.50"],
])("a weight of %d", (weight, words) => {
  expect(decimal(weight, 2)).toBe(words)
})

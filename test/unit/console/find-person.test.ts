import { describe, expect, test } from "vitest"
import { confidenceWords, creditsUsed, likelihood } from "../../../src/console/pages/finder/found.tsx"
import { exampleFor, exampleOf, splitName } from "../../../src/console/pages/finder/person.ts"

describe("a full name becomes a first and a last name", () => {
  test.each([
    ["Alice Smith", "Alice", "Smith"],
    ["  Alice   Smith ", "Alice", "Smith"],
    ["Smith, Alice", "Alice", "Smith"],
    ["Pieter van der Berg", "Pieter", "van der Berg"],
    ["van der Berg, Pieter", "Pieter", "van der Berg"],
    ["Van Nguyen", "Van", "Nguyen"],
    ["Mary Ann Smith", "Mary Ann", "Smith"],
    ["John Smith Jr.", "John", "Smith"],
    ["John Smith, PhD", "John", "Smith"],
    ["García Márquez, Gabriel", "Gabriel", "García Márquez"],
    ["小明 王", "小明", "王"],
  ])("%s", (name, first, last) => {
    expect(splitName(name)).toEqual({ first, last })
  })

  test.each(["", "  ", "Alice", "Alice,", ", Alice", "Smith, PhD"])("%j is no full name", (name) => {
    expect(splitName(name)).toBeNull()
  })
})

test.each([
  ["{first}.{last}", "jane.doe@company.test"],
  ["{f}{last}", "jdoe@company.test"],
  ["{last}{f}", "doej@company.test"],
  ["{first}.{m}.{last}", "jane.a.doe@company.test"],
  ["{first3}{last3}", "jandoe@company.test"],
])("an example of %s", (format, address) => {
  expect(exampleOf(format, "company.test", exampleFor(null))).toBe(address)
})

test.each([
  ["Alice", "Smith", "{first}.{last3}", "alice.smi@company.test"],
  ["Alice", "Smith", "{first}.{m}.{last}", null],
  ["José", "Smith", "{first}.{last}", "jane.doe@company.test"],
  ["Mary Ann", "Smith", "{f}{last}", "jdoe@company.test"],
])("an example for %s %s of %s", (first, last, format, address) => {
  expect(exampleOf(format, "company.test", exampleFor({ first, last }))).toBe(address)
})

test.each([
  [0.93, "Almost certainly Alice Smith's address"],
  [0.7, "Very likely Alice Smith's address"],
  [0.5, "Likely Alice Smith's address"],
  [0.2, "Possibly Alice Smith's address"],
  [0.19, "A guess: probably not Alice Smith's address"],
])("a confidence of %d in words", (confidence, words) => {
  expect(confidenceWords(confidence, { first: "Alice", last: "Smith" })).toBe(words)
})

test.each([
  [0, "No credit used."],
  [1, "1 credit used."],
  [5, "5 credits used."],
])("%d credits in words", (credits, words) => {
  expect(creditsUsed(credits)).toBe(words)
})

test.each([
  [0, "under 0.1%"],
  [0.0004, "under 0.1%"],
  [0.001, "0.1%"],
  [0.817, "81.7%"],
  [1, "100%"],
])("a likelihood of %d", (share, words) => {
  expect(likelihood(share)).toBe(words)
})

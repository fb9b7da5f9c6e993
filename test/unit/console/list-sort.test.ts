import { expect, test } from "vitest"
import { readSort, sorted, turned, writeSort } from "../../../src/console/pages/lists/sort.ts"

const row = (email: string, status: "valid" | "invalid" | "unknown", score: number) => ({
  ...{ email, status, score, provider: email.length > 3 ? "Google" : "Other", can_send: score > 60 },
})
const ROWS = [row("b@x", "unknown", 50), row("c@xy", "valid", 90), row("a@x", "invalid", 50)]
const emails = (text: string) => sorted(ROWS, readSort(text)).map(({ email }) => email.slice(0, 1))

test.each([
  ["", "bca"],
  ["email", "abc"],
  ["-email", "cba"],
  // Equal rows stay in the order of the list, in both directions.
  ["score", "bac"],
  ["-score", "cba"],
  ["status", "cba"],
  ["-can_send", "cba"],
  ["provider", "cba"],
  ["-provider", "bac"],
  ["password", "bca"],
])("sorted by %j: %s", (text, expected) => {
  expect(emails(text).join("")).toBe(expected)
})

test("a heading turns up, down and off", () => {
  const first = turned(null, "score")
  const second = turned(first, "score")
  expect([writeSort(first), writeSort(second), writeSort(turned(second, "score"))]).toEqual(["score", "-score", ""])
  expect(writeSort(turned(second, "email"))).toBe("email")
})

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { MAX_LIST_BYTES, MAX_LIST_NAMES, parseListText } from "../../../src/domain/reference/public-lists.ts"

const namesIn = (text: string) => {
  const read = parseListText(text)
  return read.ok ? [...read.domains] : read.reason
}

test.each([
  ["", []],
  ["# only a comment\n\n", []],
  ["a.example\nb.example\n", ["a.example", "b.example"]],
  ["a.example\r\nb.example", ["a.example", "b.example"]],
  ["  A.Example  # why\n", ["a.example"]],
  ["a.example # why\r\nb.example # why\r\n", ["a.example", "b.example"]],
  ["@a.example\n*.b.example\n.c.example\n", ["a.example", "b.example", "c.example"]],
  ["a.example\na.example\n", ["a.example"]],
  ["xn--bcher-kva.example", ["xn--bcher-kva.example"]],
  ["\uFEFFa.example\nb.example", ["a.example", "b.example"]],
])("%j", (text, expected) => {
  expect(namesIn(text)).toEqual(expected)
})

describe("a text that is not a list", () => {
  test.each([
    ["<!doctype html>\n<title>404</title>\n<p>Not found</p>", "not_a_list"],
    ['["a.example","b.example"]', "not_a_list"],
    ["bücher.example", "not_a_list"],
    ["com\nlocalhost\n", "not_a_list"],
    ["10.0.0.1\n10.0.0.2", "not_a_list"],
    ["-a.example\na-.example\na..example", "not_a_list"],
    [`${"a".repeat(64)}.example`, "not_a_list"],
  ])("%j", (text, reason) => {
    expect(namesIn(text)).toBe(reason)
  })

  test("is too large or has too many names", () => {
    expect(namesIn("a".repeat(MAX_LIST_BYTES + 1))).toBe("too_large")
    const many = Array.from({ length: MAX_LIST_NAMES + 1 }, (_, index) => `n${index}.xy`).join("\n")
    expect(namesIn(many)).toBe("too_many_names")
  })
})

test("a few invalid lines are reported, the others are read", () => {
  expect(parseListText("a.example\nb.example\nnot a domain\n")).toEqual({
    ok: true,
    domains: new Set(["a.example", "b.example"]),
    unread: ["not a domain"],
  })
})

test("names are read with and without comments", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.domain().map((name) => name.toLowerCase())), fc.string(), (names, comment) => {
      const line = `# ${comment.replace(/[\r\n]/g, " ")}`
      const text = [line, ...names.map((name, index) => (index % 2 ? `${name} ${line}` : name))].join("\n")
      expect(namesIn(text)).toEqual(names)
    }),
  )
})

import { describe, expect, test } from "vitest"
import { type Cell, displayWidth, formatFacts, formatTable } from "../../../src/client/cli/terminal.ts"

const PLAIN = { columns: 80, hasColor: false }

describe("a table", () => {
  test("aligns words on the left and numbers on the right, without spaces at the end", () => {
    const rows = [
      ["a", 1, "x"],
      ["long name", 1_000, ""],
    ]
    expect(formatTable(["NAME", "COUNT", "NOTE"], rows, PLAIN)).toEqual([
      "NAME       COUNT  NOTE",
      "a              1  x",
      "long name   1000",
    ])
  })

  test("aligns wide characters, marks and emoji by their width on a terminal", () => {
    const names = ["你好", "Zoë", "Zoe\u0308", "👩‍👩‍👧", "a"]
    const rows = names.map((name, n) => [name, n])
    const lines = ["NAME  N", "你好  0", "Zoë   1", "Zoe\u0308   2", "👩‍👩‍👧    3", "a     4"]
    expect(formatTable(["NAME", "N"], rows, PLAIN)).toEqual(lines)
  })

  test("cuts the widest column to fit, but never the first one", () => {
    const id = "job_428e268972a435fc06131d91"
    const rows = [[id, "a long file name.csv", "complete"]]
    const [header, line] = formatTable(["ID", "FILE", "STATE"], rows, { ...PLAIN, columns: 50 })
    expect(line).toBe(`${id}  a long fi…  complete`)
    expect([header!.indexOf("STATE"), line!.length]).toEqual([42, 50])
    expect(formatTable(["ID"], [[id]], { ...PLAIN, columns: 10 })).toEqual(["ID", id])
  })

  test("cuts a wide character as a whole", () => {
    const [, line] = formatTable(["ID", "NAME"], [["1", "你好你好你好"]], { ...PLAIN, columns: 12 })
    expect(line).toBe("1   你好你…")
  })

  test("colors cells without a change of the alignment, and only when asked", () => {
    const rows: Cell[][] = [[["yes", "green"], "x"]]
    expect(formatTable(["OK", "N"], rows, { columns: 80, hasColor: true })[1]).toBe("\u001b[32myes\u001b[0m  x")
    expect(formatTable(["OK", "N"], rows, PLAIN)[1]).toBe("yes  x")
  })

  test("shows no escape sequences and line feeds of foreign names", () => {
    expect(formatTable(["NAME"], [["a\u001b[2Jb\nc\u0007"]], PLAIN)[1]).toBe("ab c")
  })
})

test("facts are aligned, and those without a value are left out", () => {
  const facts: [string, Cell | null][] = [
    ["state", ["done", "green"]],
    ["empty", ""],
    ["none", null],
    ["a", 1],
  ]
  expect(formatFacts(facts, PLAIN)).toEqual(["state  done", "a      1"])
  expect(formatFacts(facts, { hasColor: true })[0]).toBe("\u001b[90mstate\u001b[0m  \u001b[32mdone\u001b[0m")
})

test.each([
  ["", 0],
  ["abc", 3],
  ["日本", 4],
  ["e\u0301", 1],
  ["👍🏽", 2],
  ["❤\ufe0f", 2],
  ["ﾊﾝｶｸ", 4],
])("%j takes %d characters on a terminal", (text, width) => {
  expect(displayWidth(text)).toBe(width)
})

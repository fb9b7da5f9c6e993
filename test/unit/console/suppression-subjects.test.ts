import { expect, test } from "vitest"
import { readTable, subjectsIn } from "../../../src/console/pages/suppression/subjects.ts"

test.each([
  ["a@b.test", [{ email: "a@b.test" }]],
  ["  a@b.test ,\r\n\nexample.com;\n", [{ email: "a@b.test" }, { domain: "example.com" }]],
  ["@example.com\n*@other.test", [{ domain: "example.com" }, { domain: "other.test" }]],
  ["not an address@", [{ email: "not an address@" }]],
  ["", []],
])("subjectsIn(%j)", (text, expected) => {
  expect(subjectsIn(text)).toEqual(expected)
})

test.each([
  ["email,reason\na@b.test,manual\n", ["email", "reason"], 1, [0, 1]],
  ["Name;Mail\nAnn;a@b.test\nBob;b@b.test", ["Name", "Mail"], 2, [1]],
  ["a@b.test\nb@b.test\n", ["Column 1"], 2, [0]],
  ["\ufeffemail\tsource\na@b.test\tcrm", ["email", "source"], 1, [0, 1]],
  ['email,note\n"a@b.test","two\nlines"\n', ["email", "note"], 1, [0, 1]],
  [
    "Email,City,Bounce Type,Created At\na@b.test,Rome,Hard,1\n",
    ["Email", "City", "Bounce Type", "Created At"],
    1,
    [0, 2, 3],
  ],
  ["domain\n*@b.test\n", ["domain"], 1, [0]],
  ["", [], 0, []],
])("readTable(%j)", async (text, columns, rows, read) => {
  const preview = await readTable(text)
  expect({ columns: preview.columns, rows: preview.rows, read: [...preview.read] }).toEqual({ columns, rows, read })
})

test("a preview has five rows with cut cells", async () => {
  const lines = Array.from({ length: 9 }, (_, n) => `p${n}@b.test,${"n".repeat(900)}`)
  const { firstRows, rows } = await readTable(`email,note\n${lines.join("\n")}`)
  expect([firstRows.length, rows, firstRows[0]![1]!.length]).toEqual([5, 9, 200])
})

import { describe, expect, test } from "vitest"
import { changedTables, changelogBetween, pendingOf, secondsFor } from "../../../scripts/update/plan.ts"

describe("the tables that a migration changes", () => {
  test.each([
    ["a new table", "CREATE TABLE `things` (`id` text);", []],
    ["a new column", "ALTER TABLE `results` ADD `later` text;", [{ name: "results", passes: 0 }]],
    ["an index", "CREATE INDEX `i` ON `results` (`later`);", [{ name: "results", passes: 1 }]],
    ["a unique index", 'CREATE UNIQUE INDEX IF NOT EXISTS "i" ON "results" ("a")', [{ name: "results", passes: 1 }]],
    ["an update", "-- a reason\nUPDATE results SET later = 'x'", [{ name: "results", passes: 1 }]],
    ["a deletion", "DELETE FROM results WHERE a = 1", [{ name: "results", passes: 1 }]],
    ["a copy", "INSERT INTO counts SELECT domain, count(*)\nFROM results GROUP BY 1", [{ name: "results", passes: 1 }]],
    ["first rows", "INSERT INTO counts VALUES ('results', 0)", []],
    ["a trigger", "CREATE TRIGGER t AFTER INSERT ON results BEGIN UPDATE counts SET n = n + 1; END", []],
    [
      "a table that it creates itself",
      "CREATE TABLE a (id text);\n--> statement-breakpoint\nCREATE INDEX i ON a (id);",
      [],
    ],
    [
      "several statements",
      "ALTER TABLE r ADD a text;\n--> statement-breakpoint\nUPDATE r SET a = 1;\n--> statement-breakpoint\nCREATE INDEX i ON r (a);",
      [{ name: "r", passes: 2 }],
    ],
  ])("%s", (_, sql, tables) => {
    expect(changedTables(sql)).toEqual(tables)
  })
})

test("a migration is pending when the database has not recorded its time", () => {
  const journal = JSON.stringify({ entries: [1, 2, 3].map((when) => ({ when, tag: `000${when}_a-name`, idx: when })) })
  expect(pendingOf(journal, [1, 2])).toEqual([{ when: 3, tag: "0003_a-name" }])
  expect(pendingOf(journal, [1, 2, 3, 4])).toEqual([])
})

test("the time is that of the rows, for each pass over them", () => {
  const small = [{ rows: 1_000, passes: 1 }]
  expect(secondsFor(small)).toBeLessThan(1)
  const large = secondsFor([{ rows: 30_000_000, passes: 1 }])
  expect(large).toBeGreaterThan(10)
  expect(secondsFor([{ rows: 30_000_000, passes: 2 }])).toBe(2 * large)
  expect(secondsFor([{ rows: 30_000_000, passes: 0 }])).toBe(0)
})

describe("what a changelog says since an earlier state", () => {
  const before = "# Changelog\n\nText.\n\n## 0.1.0\n\n- **Start**: it starts.\n- **Files**: many\n  of them.\n"
  test.each([
    ["nothing", before, []],
    [
      "a new release",
      before.replace("## 0.1.0", "## 0.2.0\n\n- **New**: a thing\n  in two lines.\n\n## 0.1.0"),
      ["0.2.0", "- **New**: a thing", "  in two lines."],
    ],
    ["a new line of the same release", `${before}- **More**: too.\n`, ["0.1.0", "- **More**: too."]],
    ["another wording", before.replace("of them", "of all"), ["0.1.0", "- **Files**: many", "  of all."]],
  ])("%s", (_, after, lines) => {
    expect(changelogBetween(before, after)).toEqual(lines)
  })

  test("everything without an earlier changelog", () => {
    expect(changelogBetween("", before)).toHaveLength(4)
  })
})

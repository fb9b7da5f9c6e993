import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { parseStatement, parseStatements, type Statement } from "../../scripts/libsql-server/statement.ts"
import { runToTheEnd } from "../support/time/bounded-work.ts"

describe("splitting", () => {
  const statements = [
    "SELECT ';'",
    'SELECT ";--" /* ; */ , [a;b], `c;d`',
    "INSERT INTO a VALUES ('it''s; fine', x'00', 1.5e3)",
    "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT CASE WHEN 1 THEN 2 END; DELETE FROM a; END",
    "CREATE TEMPORARY_TRIGGER",
    "SELECT a->>'$.b', ? -- the end; no",
    "BEGIN",
    "END",
  ]
  const blank = fc.constantFrom(" ", "\n", ";", "-- x;\n", "/* ; */", "\t;\n")

  test("returns the statements that were joined", () => {
    const part = fc.tuple(fc.constantFrom(...statements), fc.array(blank, { maxLength: 3 }))
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const sql = parts.map(([statement, blanks]) => `${statement}\n;${blanks.join("")}`).join("")
        const withoutComment = parts.map(([statement]) => statement.replace(/ -- .*/, ""))
        expect(parseStatements(sql).map(({ sql }) => sql)).toEqual(withoutComment)
      }),
    )
  })

  test("ends for any text, in linear time", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("'", '"', "[", "/", "*", "-", ";", "\n", "?", "(", "a") }), parses),
    )
    for (const piece of ["x''", "/*", "?,"]) runToTheEnd(() => parses(`SELECT '${piece.repeat(500_000)}`))
    for (const piece of ["/*", "?,"]) runToTheEnd(() => parses(piece.repeat(500_000)))
  })

  function parses(sql: string) {
    const joined = parseStatements(sql).map((statement) => statement.sql)
    for (const part of joined) expect(sql.includes(part)).toBe(true)
  }
})

describe("the effects of a statement", () => {
  const reads: Partial<Statement> = { isWrite: false, isChange: false, isInsert: false, isBegin: false }
  const other: Partial<Statement> = { ...reads, isWrite: true }
  const changes: Partial<Statement> = { ...other, isChange: true }
  const inserts: Partial<Statement> = { ...changes, isInsert: true }
  test.each<[string, Partial<Statement>]>([
    ["select 1", reads],
    ["VALUES (1)", reads],
    ["WITH a(insert_) AS (SELECT 1) SELECT 'DELETE' FROM a", reads],
    ["BEGIN", { ...reads, isBegin: true }],
    ["begin immediate", { ...reads, isBegin: true }],
    ["SAVEPOINT a", reads],
    ["COMMIT", reads],
    ["PRAGMA foreign_keys = off", { ...reads, isForeignKeySwitch: true }],
    ["INSERT INTO a SELECT 1", inserts],
    ["REPLACE INTO a VALUES (1)", inserts],
    ["UPDATE a SET b = 1", changes],
    ["WITH a AS (SELECT (1)) DELETE FROM b", changes],
    ["WITH a AS (DELETE_FROM) INSERT INTO b SELECT * FROM a", inserts],
    ["CREATE TABLE a (temp)", other],
    ["ALTER TABLE a RENAME TO b", other],
  ])("%s", (sql, expected) => {
    expect(parseStatement(sql)).toMatchObject(expected)
  })

  test.each([
    ["? , ?", 2],
    ["':a', \"?\", [?] -- ?", 0],
  ])("the parameters of SELECT %s", (list, expected) => {
    expect(parseStatement(`SELECT ${list}`).parameters).toBe(expected)
  })
})

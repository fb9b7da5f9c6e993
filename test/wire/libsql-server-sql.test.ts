import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { parseStatement, parseStatements, type Statement } from "../../scripts/libsql-server/statement.ts"
import { growth } from "../support/stack/cpu.ts"

describe("splitting", () => {
  const statements = [
    "SELECT ';'",
    'SELECT ";--" /* ; */ , [a;b], `c;d`',
    "INSERT INTO a VALUES ('it''s; fine', x'00', 1.5e3)",
    "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT CASE WHEN 1 THEN 2 END; DELETE FROM a; END",
    "CREATE TEMPORARY_TRIGGER",
    "SELECT a->>'$.b', :c, @d, $e, ?6 -- the end; no",
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

  test("ends for any text, in linear time", async () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("'", '"', "[", "/", "*", "-", ";", "\n", "$", "(", "a") }), parses),
    )
    for (const piece of ["x''", "/*", "?,"])
      expect(await growth((pieces) => parses(`SELECT '${piece.repeat(pieces)}`), 50_000), piece).toBeLessThan(10)
    for (const piece of ["/*", "?,"])
      expect(await growth((pieces) => parses(piece.repeat(pieces)), 25_000), piece).toBeLessThan(10)
  })

  function parses(sql: string) {
    const joined = parseStatements(sql).map((statement) => statement.sql)
    for (const part of joined) expect(sql.includes(part)).toBe(true)
  }
})

describe("the effects of a statement", () => {
  const writes: Partial<Statement> = { takesWriteLock: true, isReadonly: false, isChange: true, isInsert: false }
  const reads: Partial<Statement> = { takesWriteLock: false, isReadonly: true, isChange: false, isInsert: false }
  test.each<[string, Partial<Statement>]>([
    ["select 1", reads],
    ["VALUES (1)", reads],
    ["WITH a(insert_) AS (SELECT 1) SELECT 'DELETE' FROM a", reads],
    ["/* DELETE */ EXPLAIN QUERY PLAN DELETE FROM a", { ...reads, isExplain: true }],
    ["BEGIN", reads],
    ["BEGIN DEFERRED TRANSACTION", reads],
    ["SAVEPOINT a", reads],
    ["COMMIT", reads],
    ["PRAGMA user_version", { takesWriteLock: false }],
    ["PRAGMA main.user_version = 5", { takesWriteLock: true }],
    ["BEGIN IMMEDIATE", { takesWriteLock: true, isChange: false }],
    ["begin exclusive", { takesWriteLock: true, isChange: false }],
    ["INSERT INTO a SELECT 1", { ...writes, isInsert: true }],
    ["REPLACE INTO a VALUES (1)", { ...writes, isInsert: true }],
    ["UPDATE a SET b = 1", writes],
    ["WITH a AS (SELECT (1)) DELETE FROM b", writes],
    ["WITH a AS (DELETE_FROM) INSERT INTO b SELECT * FROM a", { ...writes, isInsert: true }],
    ["CREATE TABLE a (temp)", { takesWriteLock: true, isChange: false }],
    ["ALTER TABLE a RENAME TO b", { takesWriteLock: true, isChange: false }],
  ])("%s", (sql, expected) => {
    expect(parseStatement(sql)).toMatchObject(expected)
  })

  test.each([
    ["? , ?", [null, null]],
    ["?2, ?", [null, "?2", null]],
    [":a, ?, :a, @a, $a::b(c)", [":a", null, "@a", "$a::b(c)"]],
    ["':a', \"?\", [?] -- ?", []],
    ["?1, ?1", ["?1"]],
    ["?40000", []],
  ])("the parameters of SELECT %s", (list, expected) => {
    expect(parseStatement(`SELECT ${list}`).parameters).toEqual(expected)
  })
})

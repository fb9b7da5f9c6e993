import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createClient } from "@libsql/client/web"
import { eq, sql } from "drizzle-orm"
import { drizzle } from "drizzle-orm/libsql/web"
import { blob, integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core"
import fc from "fast-check"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { type LibsqlServer, startLibsqlServer } from "../../scripts/libsql-server/main.ts"

const authToken = "a-token-of-the-test"
const folder = mkdtempSync(join(tmpdir(), "libsql-"))
let server: LibsqlServer

beforeAll(async () => {
  server = await startLibsqlServer({ file: join(folder, "new", "x.db"), authToken, synchronous: "normal" })
})
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

const connect = () => createClient({ url: server.url, authToken, intMode: "bigint" })

beforeEach(async () => {
  await connect().executeMultiple(`
    DROP TABLE IF EXISTS child; DROP TABLE IF EXISTS item; -- a comment; with a semicolon
    CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT UNIQUE, size INTEGER NOT NULL DEFAULT 0 CHECK (size <= 100));
    CREATE TABLE child (item_id INTEGER REFERENCES item (id));
    CREATE TRIGGER item_limit AFTER INSERT ON item WHEN new.size = 77 BEGIN
      UPDATE item SET size = CASE WHEN size > 70 THEN 7 END WHERE id = new.id; DELETE FROM child;
    END;`)
})

describe("values", () => {
  const value = fc.oneof(
    fc.constant(null),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom("\0", "\uFDD0", "0", "😀", "a") }),
    fc.uint8Array(),
  )
  const plain = (given: unknown) => (given instanceof ArrayBuffer ? new Uint8Array(given) : given)

  test("are returned unchanged", async () => {
    const client = connect()
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 8 }), async (args) => {
        const { rows } = await client.execute({ sql: `SELECT ${args.map((_, i) => `? AS c${i}`)}`, args })
        expect(args.map((_, i) => plain(rows[0]?.[i]))).toEqual(args)
      }),
      { numRuns: 150 },
    )
  })

  test("are returned unchanged from a table, and can be found again", async () => {
    const client = connect()
    const name = "a\0b\uFDD0😀"
    const { rows } = await client.execute({ sql: "INSERT INTO item (name) VALUES (?) RETURNING name", args: [name] })
    expect(rows[0]?.name).toBe(name)
    expect((await client.execute({ sql: "SELECT name FROM item WHERE name = ?", args: [name] })).rows).toEqual([
      { name },
    ])
  })

  test.each([
    ["SELECT 9223372036854775807 AS v", 9223372036854775807n],
    ["SELECT -9223372036854775808 AS v", -9223372036854775808n],
    ["SELECT 1.0 AS v", 1],
    ["SELECT typeof(?) AS v", "real"],
    ["SELECT 'x' || char(10) AS v", "x\n"],
    ["WITH a AS (SELECT 1 AS b) SELECT b AS v FROM a -- end", 1n],
    ["VALUES ('only')", "only"],
    ["SELECT json_extract('{\"a\":[1,2]}', '$.a[1]') AS v", 2n],
  ])("%s", async (statement, expected) => {
    const args = statement.includes("?") ? [5] : []
    expect((await connect().execute({ sql: statement, args })).rows[0]?.[0]).toBe(expected)
  })

  test.each([
    { json: '["\\ud83d"]', text: "\ufffd" },
    { json: '["\\uDE00 \\uD83D\\uDE00 \\ud800\\ud83d\\ude00"]', text: "\ufffd 😀 \ufffd😀" },
    { json: '["\\\\ud83d \\\\\\ud83d \\u00e9"]', text: "\\ud83d \\\ufffd é" },
    { json: JSON.stringify([`${"a".repeat(9)}😀`.slice(0, 10)]), text: "aaaaaaaaa\ufffd" },
  ])("half a surrogate pair in $json is returned as U+FFFD, and does not end the text", async ({ json, text }) => {
    const args = [json]
    const { rows } = await connect().execute({ sql: "SELECT value FROM json_each(?)", args })
    expect(rows[0]?.value).toBe(text)
    expect((await connect().execute({ sql: "SELECT ? ->> 0 AS value", args })).rows[0]?.value).toBe(text)
  })

  test("columns have their names and declared types", async () => {
    const result = await connect().execute("SELECT id, name AS called, count(*) FROM item")
    expect(result.columns).toEqual(["id", "called", "count(*)"])
    expect(result.columnTypes).toEqual(["INTEGER", "TEXT", ""])
  })

  test("columns follow a change of the table", async () => {
    const client = connect()
    await client.execute("INSERT INTO item (name) VALUES ('a')")
    expect((await client.execute("SELECT * FROM item")).columns).toHaveLength(3)
    await client.execute("ALTER TABLE item ADD COLUMN extra TEXT DEFAULT 'e'")
    expect((await client.execute("SELECT * FROM item")).rows[0]).toMatchObject({ extra: "e" })
  })

  test("changes and row ids are reported for changes only", async () => {
    const client = connect()
    const seen = []
    for (const statement of [
      "INSERT INTO item (id, name) VALUES (9007199254740993, 'a')",
      "INSERT INTO item (name) VALUES ('b'), ('c') RETURNING id",
      "UPDATE item SET size = 1",
      "WITH w AS (SELECT 'b' AS n) DELETE FROM item WHERE name IN (SELECT n FROM w)",
      "SELECT * FROM item",
    ]) {
      const { rowsAffected, lastInsertRowid } = await client.execute(statement)
      seen.push([rowsAffected, lastInsertRowid])
    }
    expect(seen).toEqual([
      [1, 9007199254740993n],
      [2, 9007199254740995n],
      [3, undefined],
      [1, undefined],
      [0, undefined],
    ])
  })
})

describe("errors have the codes of sqld", () => {
  test.each([
    ["INSERT INTO item (id) VALUES (1), (1)", "SQLITE_CONSTRAINT", /UNIQUE constraint failed: item.id/],
    ["INSERT INTO item (size) VALUES (101)", "SQLITE_CONSTRAINT", /CHECK/],
    ["INSERT INTO item (size) VALUES (NULL)", "SQLITE_CONSTRAINT", /NOT NULL/],
    ["INSERT INTO child VALUES (5)", "SQLITE_CONSTRAINT", /FOREIGN KEY/],
    ["COMMIT", "SQLITE_UNKNOWN", /no transaction is active/],
    ["SELECT nope FROM item", "SQL_INPUT_ERROR", /no such column: nope \(at offset 7\)/],
    ["SELECT * FROM nope", "SQLITE_UNKNOWN", /no such table/],
    ["SELEC 1", "SQL_PARSE_ERROR", /syntax error/],
    ["SELECT 'a\0'", "SQL_PARSE_ERROR", /NUL/],
    ["-- nothing", "SQL_NO_STATEMENT", /does not contain/],
    ["SELECT 1; SELECT 2", "SQL_MANY_STATEMENTS", /more than one/],
    ["SELECT ?", "ARGS_INVALID", /expected 1, found 0/],
    ["SELECT :name", "SQL_PARSE_ERROR", /parameter that is not \?/],
    ["SELECT ?1", "SQL_PARSE_ERROR", /parameter that is not \?/],
    ["ATTACH '/tmp/other.db' AS other", "SQL_PARSE_ERROR", /unsupported/],
    ["VACUUM INTO '/tmp/copy.db'", "SQL_PARSE_ERROR", /unsupported/],
    ["PRAGMA journal_mode = DELETE", "SQL_PARSE_ERROR", /unsupported/],
    ["EXPLAIN SELECT 1", "SQL_PARSE_ERROR", /unsupported/],
    ["CREATE TEMP TABLE mine (id)", "SQL_PARSE_ERROR", /unsupported/],
  ])("%s", async (statement, code, message) => {
    const failure = await connect()
      .execute(statement)
      .catch((error) => error)
    expect({ code: failure.code, message: failure.message }).toEqual({ code, message: expect.stringMatching(message) })
  })

  test("too many arguments", async () => {
    const failure = connect().execute({ sql: "SELECT ?", args: [1, 2] })
    await expect(failure).rejects.toMatchObject({ code: "ARGS_INVALID" })
  })

  test.each([undefined, "", "wrong", `${authToken}x`])("token %s is refused", async (token) => {
    const client = createClient({ url: server.url, ...(token === undefined ? {} : { authToken: token }) })
    await expect(client.execute("SELECT 1")).rejects.toMatchObject({ code: "SERVER_ERROR", cause: { status: 401 } })
  })
})

describe("a single write ends as in SQLite", () => {
  test.each([
    ["INSERT OR FAIL INTO item (id) VALUES (1), (2), (1), (3)", 2n],
    ["INSERT OR ROLLBACK INTO item (id) VALUES (1), (2), (1)", 0n],
    ["INSERT INTO item (id) VALUES (1), (1) RETURNING id", 0n],
    ["INSERT INTO late VALUES (5)", 0n],
  ])("%s", async (statement, left) => {
    const client = connect()
    const reference = "REFERENCES item (id) DEFERRABLE INITIALLY DEFERRED"
    await client.executeMultiple(`DROP TABLE IF EXISTS late; CREATE TABLE late (id ${reference})`)
    await expect(client.execute(statement)).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT" })
    const { rows } = await client.execute("SELECT (SELECT count(*) FROM item) + (SELECT count(*) FROM late) AS n")
    expect(rows).toEqual([{ n: left }])
    await client.executeMultiple("INSERT INTO item (name) VALUES ('next'); DROP TABLE late")
    expect((await client.execute("SELECT name FROM item WHERE name = 'next'")).rows).toEqual([{ name: "next" }])
  })
})

describe("batches", () => {
  test.each(["write", "deferred"] as const)("a failed %s batch leaves no rows", async (mode) => {
    const client = connect()
    const statements = ["INSERT INTO item (id) VALUES (1)", "INSERT INTO item (id) VALUES (1)", "DELETE FROM item"]
    await expect(client.batch(statements, mode)).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT", statementIndex: 1 })
    expect((await client.execute("SELECT * FROM item")).rows).toEqual([])
    await client.batch(["INSERT INTO item (id) VALUES (1)"], mode)
    expect((await client.execute("SELECT id FROM item")).rows).toEqual([{ id: 1n }])
  })

  test("500 concurrent reservations of 100 left serve exactly 100", async () => {
    await connect().execute("INSERT INTO item (id, size) VALUES (1, 0)")
    const reserve = {
      sql: "UPDATE item SET size = size + 1 WHERE id = 1 AND size + 1 <= ? RETURNING size",
      args: [100],
    }
    const served = await Promise.all(
      Array.from({ length: 500 }, async (_, i) => {
        if (i % 2) return (await connect().execute(reserve)).rows.length
        return (await connect().batch([reserve], "write"))[0]?.rows.length
      }),
    )
    expect(served.filter((rows) => rows === 1)).toHaveLength(100)
    expect((await connect().execute("SELECT size FROM item")).rows).toEqual([{ size: 100n }])
  })

  test("foreign keys are disabled for one request only", async () => {
    await connect().migrate(["INSERT INTO child VALUES (5)"])
    await connect().executeMultiple("PRAGMA foreign_keys = OFF; INSERT INTO child VALUES (5)")
    await expect(connect().execute("INSERT INTO child VALUES (6)")).rejects.toThrow(/FOREIGN KEY/)
  })
})

describe("drizzle", () => {
  const things = sqliteTable("thing", {
    id: integer().primaryKey(),
    at: integer({ mode: "timestamp_ms" }),
    on: integer({ mode: "boolean" }),
    tags: text({ mode: "json" }).$type<string[]>(),
    ratio: real(),
    bytes: blob({ mode: "buffer" }),
  })

  test("types, upserts and batches", async () => {
    const db = drizzle({ client: createClient({ url: server.url, authToken }) })
    await db.run(
      sql`CREATE TABLE thing (id INTEGER PRIMARY KEY, at INTEGER, "on" INTEGER, tags TEXT, ratio REAL, bytes BLOB)`,
    )
    const thing = { id: 1, at: new Date(5), on: true, tags: ["a"], ratio: 0.5, bytes: Buffer.from([0, 255]) }
    expect(await db.insert(things).values(thing).returning()).toEqual([thing])
    const upsert = { target: things.id, set: { ratio: sql`${things.ratio} + 1` } }
    const [, found] = await db.batch([
      db.insert(things).values(thing).onConflictDoUpdate(upsert),
      db.select().from(things).where(eq(things.id, 1)),
    ])
    expect(found).toEqual([{ ...thing, ratio: 1.5 }])
    expect(await db.$count(things, eq(things.on, true))).toBe(1)
  })
})

test("deleted and replaced values are overwritten in the file, except copies left by moved rows", async () => {
  const file = join(folder, "erased.db")
  const other = await startLibsqlServer({ file, authToken, synchronous: "normal" })
  const client = createClient({ url: other.url, authToken })
  await client.execute("CREATE TABLE person (id INTEGER PRIMARY KEY, email TEXT UNIQUE)")
  const people = Array.from({ length: 3_000 }, (_, n) => `${n % 10 ? "gone" : "here"}-${n}@erased.test`)
  await client.execute({
    sql: "INSERT INTO person (email) SELECT value FROM json_each(?)",
    args: [JSON.stringify(people)],
  })
  await client.execute("UPDATE person SET email = 'replaced-' || id WHERE email LIKE 'gone-%1@%'")
  await client.execute("DELETE FROM person WHERE email LIKE 'gone-%'")
  await other.stop()
  const bytes = readFileSync(file, "latin1")
  expect(bytes.includes("here-0@erased.test")).toBe(true)
  expect(bytes.split("gone-").length - 1).toBeLessThan(people.length / 100)
})

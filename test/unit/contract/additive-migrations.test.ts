import { readFileSync } from "node:fs"
import Database from "libsql"
import { describe, expect, test } from "vitest"
import journal from "../../../schema/migrations/meta/_journal.json" with { type: "json" }

/**
 * An older version must work on the database of a newer one: a roll back restores the code, not the tables. So a later
 * migration only adds, and what it adds to an existing table has a value when an older version does not write it.
 */
const MIGRATIONS = journal.entries.map(({ tag }) =>
  readFileSync(new URL(`../../../schema/migrations/${tag}.sql`, import.meta.url), "utf8"),
)

interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly dflt_value: string | null
}

/** An index or a trigger. */
interface Part {
  readonly type: "index" | "trigger"
  readonly name: string
  readonly table: string
  readonly sql: string
}

/** Applies migrations to a new database. @returns its columns by "table.column", its indexes and triggers by name */
function databaseWith(migrations: readonly string[]) {
  const database = new Database(":memory:")
  for (const sql of migrations) database.exec(sql)
  const query = `SELECT t.name AS "table", c.name, c.type, c."notnull", c.dflt_value
    FROM pragma_table_list t, pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`
  const columns = new Map((database.prepare(query).all() as Column[]).map((one) => [`${one.table}.${one.name}`, one]))
  const partsQuery = `SELECT type, name, tbl_name AS "table", sql FROM sqlite_schema
    WHERE type IN ('index', 'trigger') AND sql IS NOT NULL`
  const parts = new Map((database.prepare(partsQuery).all() as Part[]).map((one) => [one.name, one]))
  return { columns, parts }
}

/** What the last of the migrations does that an older version cannot work with. */
function problemsOf(migrations: readonly string[]): string[] {
  const { columns: before, parts: partsBefore } = databaseWith(migrations.slice(0, -1))
  const { columns: after, parts: partsAfter } = databaseWith(migrations)
  const tables = new Set([...before.values()].map(({ table }) => table))
  const lost = [...before].flatMap(([name, { type, notnull }]) => {
    const now = after.get(name)
    if (!now) return [`${name} is gone`]
    return now.type !== type || now.notnull > notnull ? [`${name} has another type`] : []
  })
  const demanded = [...after].flatMap(([name, { table, notnull, dflt_value }]) =>
    tables.has(table) && !before.has(name) && notnull && dflt_value === null ? [`${name} needs a value`] : [],
  )
  // An older version names indexes in ON CONFLICT, and relies on the counts of triggers.
  const changed = [...partsBefore].flatMap(([name, { type, sql }]) =>
    partsAfter.get(name)?.sql === sql ? [] : [`${type} ${name} is gone or changed`],
  )
  const forbidding = [...partsAfter].flatMap(([name, { table, sql }]) =>
    tables.has(table) && !partsBefore.has(name) && /^CREATE UNIQUE/i.test(sql) ? [`${name} forbids rows`] : [],
  )
  return [...lost, ...demanded, ...changed, ...forbidding]
}

test("each later migration only adds", () => {
  const later = MIGRATIONS.slice(1).map((_, index) => problemsOf(MIGRATIONS.slice(0, index + 2)))
  expect(later.flat()).toEqual([])
})

describe("the rule", () => {
  const first = "CREATE TABLE things (id TEXT PRIMARY KEY NOT NULL, size INTEGER, color TEXT NOT NULL);"
  const parts = `CREATE UNIQUE INDEX things_color ON things (color);
    CREATE TRIGGER things_counted AFTER INSERT ON things BEGIN UPDATE things SET size = 1; END;`

  test.each([
    ["drops a table", "DROP TABLE things", ["things.id is gone", "things.size is gone", "things.color is gone"]],
    ["renames a table", "ALTER TABLE things RENAME TO items", expect.arrayContaining(["things.id is gone"])],
    ["drops a column", "ALTER TABLE things DROP COLUMN size", ["things.size is gone"]],
    ["renames a column", "ALTER TABLE things RENAME COLUMN size TO length", ["things.size is gone"]],
    [
      "adds a column that needs a value",
      `CREATE TABLE new_things (id TEXT PRIMARY KEY NOT NULL, size INTEGER, color TEXT NOT NULL, weight REAL NOT NULL);
      DROP TABLE things; ALTER TABLE new_things RENAME TO things`,
      ["things.weight needs a value"],
    ],
    [
      "forbids null in a column",
      `CREATE TABLE new_things (id TEXT PRIMARY KEY NOT NULL, size INTEGER NOT NULL, color TEXT NOT NULL);
      DROP TABLE things; ALTER TABLE new_things RENAME TO things`,
      ["things.size has another type"],
    ],
  ])("refuses a migration that %s", (_, sql, problems) => {
    expect(problemsOf([first, sql])).toEqual(problems)
  })

  test.each([
    ["drops an index", "DROP INDEX things_color", ["index things_color is gone or changed"]],
    [
      "lets an index be of other rows",
      "DROP INDEX things_color; CREATE UNIQUE INDEX things_color ON things (color, size)",
      ["index things_color is gone or changed"],
    ],
    ["drops a trigger", "DROP TRIGGER things_counted", ["trigger things_counted is gone or changed"]],
    ["forbids equal rows", "CREATE UNIQUE INDEX things_size ON things (size)", ["things_size forbids rows"]],
  ])("refuses a migration that %s", (_, sql, problems) => {
    expect(problemsOf([first + parts, sql])).toEqual(problems)
  })

  test("accepts new tables, nullable columns, columns with a default, and indexes", () => {
    const added = `CREATE TABLE more (id TEXT PRIMARY KEY NOT NULL, needed TEXT NOT NULL);
      ALTER TABLE things ADD COLUMN note TEXT;
      ALTER TABLE things ADD COLUMN count INTEGER DEFAULT 0 NOT NULL;
      CREATE INDEX things_size ON things (size)`
    expect(problemsOf([first, added])).toEqual([])
  })
})

import { type SQL, sql } from "drizzle-orm"
import type { Database } from "./database.ts"

/** Selects rows of a table. */
export interface RowSelection {
  readonly table: string
  readonly where: SQL
  /** Without an index for the rows, the table is scanned in ranges of this many rows. */
  readonly scanned?: number | undefined
}

export interface BatchUpdate extends RowSelection {
  /** Builds the statement for the selected rows. Afterwards `where` must no longer match them. */
  readonly statement: (rows: SQL) => SQL
  /** Approximate limit of changed rows. */
  readonly limit?: number
}

const ROWS_AT_ONCE = 2_000

/** Runs a statement over all matching rows, in batches within the database's time limit. @returns rows changed */
export async function inBatches(
  database: Database,
  { statement, limit = Number.POSITIVE_INFINITY, ...which }: BatchUpdate,
): Promise<number> {
  let changed = 0
  for await (const part of partsOf(database, which)) {
    let rows: number
    do {
      if (changed >= limit) return changed
      const some = sql`rowid IN (SELECT rowid FROM ${part} LIMIT ${ROWS_AT_ONCE})`
      rows = (await database.run(statement(some))).rowsAffected
      changed += rows
    } while (rows >= ROWS_AT_ONCE)
  }
  return changed
}

/** Deletes all matching rows. */
export function deleteInBatches(database: Database, sweep: Omit<BatchUpdate, "statement">): Promise<number> {
  const statement = (rows: SQL) => sql`DELETE FROM ${sql.identifier(sweep.table)} WHERE ${rows}`
  return inBatches(database, { ...sweep, statement })
}

/** Counts the matching rows. */
export async function countInBatches(database: Database, which: RowSelection): Promise<number> {
  let count = 0
  for await (const part of partsOf(database, which)) {
    const [row] = await database.all<{ n: number }>(sql`SELECT count(*) AS n FROM ${part}`)
    count += row?.n ?? 0
  }
  return count
}

/** Yields all matching rows, `size` at a time. */
export async function* pagesOf<T>(
  database: Database,
  { columns, size, ...which }: RowSelection & { readonly columns: SQL; readonly size: number },
): AsyncGenerator<T[]> {
  for await (const part of partsOf(database, which)) {
    for (let [after, isMore] = [0, true]; isMore; ) {
      // The plus makes SQLite use the index of the rows.
      const page = await database.all<T & { page_row: number }>(
        sql`SELECT rowid AS page_row, ${columns} FROM ${part} AND +rowid > ${after} ORDER BY +rowid LIMIT ${size}`,
      )
      const rows = page.map(({ page_row: _, ...row }) => row as T)
      if (rows.length > 0) yield rows
      after = page.at(-1)?.page_row ?? after
      isMore = page.length === size
    }
  }
}

/** Yields conditions that together select all matching rows: ranges of the indexed column `by`. */
export async function* rangesOf(
  database: Database,
  { table, where, by }: RowSelection & { readonly by: string },
): AsyncGenerator<SQL> {
  const key = sql.identifier(by)
  for (let after = ""; ; ) {
    const some = sql`SELECT ${key} FROM ${sql.identifier(table)} WHERE (${where}) AND ${key} > ${after} ORDER BY ${key}`
    const [end] = await database.all<{ last: string | null }>(
      sql`SELECT max(${key}) AS last FROM (${some} LIMIT ${ROWS_AT_ONCE})`,
    )
    const last = end?.last ?? null
    if (last === null) return
    yield sql`(${where}) AND ${key} > ${after} AND ${key} <= ${last}`
    after = last
  }
}

/** Yields the parts of a table to search one after the other, as text after FROM. */
async function* partsOf(database: Database, { table, where, scanned }: RowSelection): AsyncGenerator<SQL> {
  const name = sql.identifier(table)
  if (scanned === undefined) return yield sql`${name} WHERE (${where})`
  const [ends] = await database.all<{ first: number | null; last: number | null }>(
    sql`SELECT (SELECT min(rowid) FROM ${name}) AS first, (SELECT max(rowid) FROM ${name}) AS last`,
  )
  const last = ends?.last ?? 0
  // NOT INDEXED: SQLite might otherwise read all rows of an account once for each part.
  for (let from = ends?.first ?? 1; from <= last; from += scanned)
    yield sql`${name} NOT INDEXED WHERE rowid >= ${from} AND rowid < ${from + scanned} AND (${where})`
}

/** Binds the named values of a condition in schema/tables. @throws Error when a value is missing */
export function bindValues(condition: string, values: Readonly<Record<string, string | number>>): SQL {
  const parts = condition.split(/:([a-z_]+)/).map((part, index) => {
    if (index % 2 === 0) return sql.raw(part)
    const value = values[part]
    if (value === undefined) throw new Error(`no value for :${part}`)
    return sql`${value}`
  })
  return sql.join(parts)
}

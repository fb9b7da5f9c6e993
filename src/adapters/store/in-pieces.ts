import { type SQL, sql } from "drizzle-orm"
import type { Database } from "./database.ts"

/** Rows of a table. */
export interface Which {
  readonly table: string
  readonly where: SQL
  /** No index leads to the rows: the table is gone through, so many rows at once. */
  readonly scanned?: number | undefined
}

export interface Sweep extends Which {
  /** The statement over rows that a condition picks; afterwards they must not be matched by `where` any more. */
  readonly statement: (rows: SQL) => SQL
  /** Rows to change at most, more or less. */
  readonly limit?: number
}

const ROWS_AT_ONCE = 2_000

/** Runs a statement over all rows that match, in pieces the database answers in time. @returns rows changed */
export async function inPieces(
  database: Database,
  { statement, limit = Number.POSITIVE_INFINITY, ...which }: Sweep,
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

/** Deletes all rows that match. */
export function deleteInPieces(database: Database, sweep: Omit<Sweep, "statement">): Promise<number> {
  const statement = (rows: SQL) => sql`DELETE FROM ${sql.identifier(sweep.table)} WHERE ${rows}`
  return inPieces(database, { ...sweep, statement })
}

/** How many rows match. */
export async function countInPieces(database: Database, which: Which): Promise<number> {
  let count = 0
  for await (const part of partsOf(database, which)) {
    const [row] = await database.all<{ n: number }>(sql`SELECT count(*) AS n FROM ${part}`)
    count += row?.n ?? 0
  }
  return count
}

/** All rows that match, a page of `size` at a time. */
export async function* pagesOf<T>(
  database: Database,
  { columns, size, ...which }: Which & { readonly columns: SQL; readonly size: number },
): AsyncGenerator<T[]> {
  for await (const part of partsOf(database, which)) {
    for (let [after, isMore] = [0, true]; isMore; ) {
      // The plus keeps SQLite to the index that leads to the rows.
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

/** Conditions that together pick all rows that match: ranges of the column `by`, which an index orders them by. */
export async function* rangesOf(
  database: Database,
  { table, where, by }: Which & { readonly by: string },
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

/** The parts of a table that are looked at one after the other: what may follow FROM. */
async function* partsOf(database: Database, { table, where, scanned }: Which): AsyncGenerator<SQL> {
  const name = sql.identifier(table)
  if (scanned === undefined) return yield sql`${name} WHERE (${where})`
  const [ends] = await database.all<{ first: number | null; last: number | null }>(
    sql`SELECT (SELECT min(rowid) FROM ${name}) AS first, (SELECT max(rowid) FROM ${name}) AS last`,
  )
  const last = ends?.last ?? 0
  // Without an index, or SQLite might go through all rows of an account once for each part.
  for (let from = ends?.first ?? 1; from <= last; from += scanned)
    yield sql`${name} NOT INDEXED WHERE rowid >= ${from} AND rowid < ${from + scanned} AND (${where})`
}

/** A condition of schema/tables with its named values bound. @throws Error when one is missing */
export function fillIn(condition: string, values: Readonly<Record<string, string | number>>): SQL {
  const parts = condition.split(/:([a-z_]+)/).map((part, index) => {
    if (index % 2 === 0) return sql.raw(part)
    const value = values[part]
    if (value === undefined) throw new Error(`no value for :${part}`)
    return sql`${value}`
  })
  return sql.join(parts)
}

import { type SQL, sql } from "drizzle-orm"
import type { Database } from "./database.ts"

export interface Sweep {
  readonly table: string
  readonly where: SQL
  /** The statement over rows that a condition picks; afterwards they must not be matched by `where` any more. */
  readonly statement: (rows: SQL) => SQL
  /** No index leads to the rows. */
  readonly isScanned?: boolean
  /** Rows to change at most. */
  readonly limit?: number
}

const ROWS_AT_ONCE = 2_000
/** Rows looked through at once where no index helps. */
const SCANNED_AT_ONCE = 50_000

/** Runs a statement over all rows that match, in pieces the database answers in time. @returns rows changed */
export async function inPieces(
  database: Database,
  { table, where, statement, isScanned = false, limit = Number.POSITIVE_INFINITY }: Sweep,
): Promise<number> {
  const name = sql.identifier(table)
  const rows = isScanned ? await database.all<{ last: number | null }>(sql`SELECT max(rowid) AS last FROM ${name}`) : []
  const last = rows[0]?.last ?? 0
  let changed = 0
  for (let from = 0; ; from += SCANNED_AT_ONCE) {
    const piece = isScanned ? sql`rowid > ${from} AND rowid <= ${from + SCANNED_AT_ONCE} AND (${where})` : where
    for (;;) {
      const some = sql`rowid IN (SELECT rowid FROM ${name} WHERE ${piece} LIMIT ${ROWS_AT_ONCE})`
      const { rowsAffected } = await database.run(statement(some))
      changed += rowsAffected
      if (changed >= limit) return changed
      if (rowsAffected < ROWS_AT_ONCE) break
    }
    if (from + SCANNED_AT_ONCE >= last) return changed
  }
}

/** Deletes all rows that match. */
export function deleteInPieces(database: Database, sweep: Omit<Sweep, "statement">): Promise<number> {
  const statement = (rows: SQL) => sql`DELETE FROM ${sql.identifier(sweep.table)} WHERE ${rows}`
  return inPieces(database, { ...sweep, statement })
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

import { existsSync, statSync } from "node:fs"
import { pathToFileURL } from "node:url"
import Database from "libsql"
import { MIGRATIONS } from "../../schema/migration-times.ts"

/** Returns the table of applied migrations. Drizzle creates it with the first migration. */
const FIND_TABLE = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = '__drizzle_migrations'"
const READ_TABLE = "SELECT created_at AS at FROM __drizzle_migrations"
const LOCK_WAIT_MS = 2_000

interface Applied {
  readonly at: number
}

/**
 * Returns whether the database is from before the initial migration. Its tables are not those that this version creates
 * or updates. A new database has no migrations, and a database of a later version has the initial one.
 * @param applied the times of its migrations
 */
export function isOlder(applied: readonly number[]): boolean {
  return applied.length > 0 && !applied.includes(MIGRATIONS[0]!)
}

/**
 * Describes an older database in an error.
 * @param place the file or the URL
 * @param action what the operator does instead
 */
export function olderDatabase(place: string, action: string): string {
  const refusal = "This version cannot update it and changed nothing."
  return `${place} was created by an older version of Mailverdict. ${refusal} ${action}`
}

/**
 * Reads the times of the migrations of a database.
 * @param query runs one statement that only reads
 */
export async function appliedMigrations(query: (sql: string) => Promise<readonly unknown[]>): Promise<number[]> {
  if ((await query(FIND_TABLE)).length === 0) return []
  return timesOf(await query(READ_TABLE))
}

/**
 * Reads the times of the migrations of a database file. It changes no file and adds none after a clean stop.
 * @returns no times when the file is missing or empty
 * @throws Error when the file is not a database
 */
export function appliedInFile(file: string): number[] {
  if (!statSync(file, { throwIfNoEntry: false })?.size) return []
  const database = openToRead(file)
  try {
    if (database.prepare(FIND_TABLE).all().length === 0) return []
    return timesOf(database.prepare(READ_TABLE).all())
  } catch (error) {
    throw new Error(`${file} cannot be read: ${(error as Error).message}`, { cause: error })
  } finally {
    database.close()
  }
}

/** Opens a database file to read, also while the service writes it. It changes no file, and adds none after a clean stop. */
export function openToRead(file: string): Database.Database {
  return new Database(readable(file), { readonly: true, timeout: LOCK_WAIT_MS })
}

/**
 * Returns the name by which SQLite opens the file. SQLite adds files beside a database in write-ahead mode, also to read
 * it. It adds none when the database is declared immutable, which is right when no writes are pending.
 */
function readable(file: string): string {
  const isPending = ["-wal", "-journal"].some((end) => existsSync(file + end))
  return isPending ? file : `${pathToFileURL(file).href}?immutable=1`
}

function timesOf(rows: readonly unknown[]): number[] {
  return (rows as readonly Applied[]).map(({ at }) => Number(at))
}

import { accessSync, chmodSync, constants, existsSync, mkdirSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import Database from "libsql"
import { MIGRATIONS } from "../../schema/migration-times.ts"
import { DATA_FILES, DATABASE_FILES, isOurs, type LocalSecrets, localSecrets } from "./data-files.ts"

const { secrets: SECRETS, lock, derived, service, ownerKey } = DATA_FILES
/** The files that the service writes. Backups are not among them: they may belong to another user. */
const WRITTEN = ["", ...DATABASE_FILES, lock, derived, service, ownerKey]

/**
 * Creates the data folder, or removes other users' access to an existing one.
 * @param usesDatabase whether the service uses the database in the folder: false with LIBSQL_URL
 * @param onNotice receives a line for each path that other users could access
 * @returns the secrets in the folder
 * @throws Error that names DATA_DIR when the folder cannot be used, for example because another user owns a file in it
 *   or its database is from an older version
 */
export async function openDataDir(
  dataDir: string,
  { usesDatabase, onNotice }: { usesDatabase: boolean; onNotice: (line: string) => void },
): Promise<LocalSecrets> {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    for (const path of WRITTEN.map((name) => join(dataDir, name)))
      if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK)
    if (usesDatabase) refuseOlder(join(dataDir, DATA_FILES.database))
    for (const line of closeToOthers(dataDir)) onNotice(line)
    return await localSecrets(dataDir)
  } catch (error) {
    throw new Error(`DATA_DIR: ${(error as Error).message}`, { cause: error })
  }
}

/** @throws Error when the database in a file is from before the initial migration */
export function refuseOlder(file: string): void {
  if (!isOlder(appliedInFile(file))) return
  const action = "Set DATA_DIR to a new folder, or export the data with the version that created it."
  throw new Error(olderDatabase(file, action))
}

/** Removes other users' access to the folder and to the service's files. @returns a line for each change */
function closeToOthers(dataDir: string): string[] {
  const names = readdirSync(dataDir)
  const files = [...WRITTEN.slice(1), SECRETS].filter((name) => names.includes(name))
  const foreign = names.find((name) => !isOurs(name))
  const notices = files.map((name) => closePath(join(dataDir, name)))
  return [...notices, foreign === undefined ? closePath(dataDir) : leaveOpen(dataDir, foreign)].filter(
    (one) => one !== null,
  )
}

function closePath(path: string): string | null {
  const { mode, isOpen, isFolder } = rightsOf(path)
  if (!isOpen) return null
  const closed = isFolder ? 0o700 : 0o600
  try {
    chmodSync(path, closed)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return `${path} is open to other users (mode ${mode}) and cannot be closed (${code}): change its owner`
  }
  return `${path} was open to other users: mode ${mode}, now ${closed.toString(8)}`
}

/** Leaves a shared folder such as /var/lib open: other programs need access to it. */
function leaveOpen(dataDir: string, foreign: string): string | null {
  const { mode, isOpen } = rightsOf(dataDir)
  if (!isOpen) return null
  return `${dataDir} is open to other users (mode ${mode}) as it also holds ${foreign}: use a separate folder`
}

function rightsOf(path: string) {
  const stats = statSync(path)
  const mode = (stats.mode & 0o777).toString(8)
  return { mode, isOpen: (stats.mode & 0o077) !== 0, isFolder: stats.isDirectory() }
}

const LOCK = "in-use.lock"
/** `isInUse` of another process holds the lock for a moment. */
const WAIT_MS = 500

/**
 * Locks a data folder until the returned function is called or the process ends. Two services on one folder would each
 * have their own rate limiters and count limits and credits separately. An update, a restore and a migration change files
 * that the service has open.
 * @returns a function that unlocks the folder @throws Error when another process holds the lock
 */
export function lockFolder(folder: string): () => void {
  const unlock = tryLock(folder)
  if (unlock) return unlock
  throw new Error(`another service uses the data folder ${folder}: stop it, or set DATA_DIR to another folder`)
}

/** Whether a process on this machine holds the lock of a data folder. A folder that was never used has none. */
export function isInUse(folder: string): boolean {
  if (!existsSync(join(folder, LOCK))) return false
  const unlock = tryLock(folder)
  unlock?.()
  return unlock === null
}

/** @returns null when another process holds the lock @throws Error when the file cannot be opened or written */
function tryLock(folder: string): (() => void) | null {
  const file = join(folder, LOCK)
  try {
    const lock = new Database(file, { timeout: WAIT_MS })
    try {
      // SQLite writes a journal also for an empty file, which fails on a full disk.
      lock.exec("PRAGMA journal_mode = MEMORY")
      lock.exec("BEGIN EXCLUSIVE")
      return () => lock.close()
    } catch (error) {
      lock.close()
      if ((error as { code?: unknown }).code === "SQLITE_BUSY") return null
      throw error
    }
  } catch (cause) {
    throw new Error(`${file} cannot be locked: ${(cause as Error).message}`, { cause })
  }
}

/** Returns the table of applied migrations. Drizzle creates it with the first migration. */
const FIND_TABLE = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = '__drizzle_migrations'"
const READ_TABLE = "SELECT created_at AS at FROM __drizzle_migrations"
const LOCK_WAIT_MS = 2_000

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
  return readFromFile(file, (database) => {
    if (database.prepare(FIND_TABLE).all().length === 0) return []
    return timesOf(database.prepare(READ_TABLE).all())
  })
}

/** @throws Error that names the file when a query fails */
export function readFromFile<T>(file: string, read: (database: Database.Database) => T): T {
  const database = openToRead(file)
  try {
    return read(database)
  } catch (error) {
    throw new Error(`${file} cannot be read: ${(error as Error).message}`, { cause: error })
  } finally {
    database.close()
  }
}

/** Opens a database file to read, also while the service writes it. It changes no file, and adds none after a clean stop. */
export function openToRead(file: string): Database.Database {
  const isPending = ["-wal", "-journal"].some((end) => existsSync(file + end))
  // SQLite adds files beside a database in write-ahead mode, also to read it. It adds none when the database is declared
  // immutable, which is right when no writes are pending.
  const name = isPending ? file : `${pathToFileURL(file).href}?immutable=1`
  return new Database(name, { readonly: true, timeout: LOCK_WAIT_MS })
}

function timesOf(rows: readonly unknown[]): number[] {
  return (rows as readonly { at: number }[]).map(({ at }) => Number(at))
}

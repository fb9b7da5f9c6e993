import { accessSync, chownSync, constants, existsSync, lstatSync, mkdirSync, readdirSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { ownerOf, RECORDS } from "../update/records.ts"

/** The files and folders in DATA_DIR, by what they hold. */
export const DATA_FILES = {
  database: "mailverdict.db",
  lock: "in-use.lock",
  /** State of the edge derived from the database: keys, rates and results. */
  derived: "workerd",
  secrets: "secrets.json",
  service: "service.json",
  ownerKey: "owner-key",
  formDemo: "form-demo.json",
  updates: RECORDS,
  backups: "backups",
  lastBackup: "last-backup.json",
} as const

/** What SQLite adds beside a database that is in use, or was not closed. */
const SIDE_FILES = ["-wal", "-shm"]
/** The database with its side files. */
export const DATABASE_FILES = ["", ...SIDE_FILES].map((end) => DATA_FILES.database + end)

/** Folders in which a restore leaves the former data. */
export const FORMER = "before-restore-"

/** Whether the service or one of its commands creates this name. "lost+found" is part of many file systems. */
export function isOurs(name: string): boolean {
  return [...Object.values(DATA_FILES), FORMER, "lost+found"].some((own) => name.startsWith(own))
}

/** Why this user cannot read a file, as a code of the system such as ENOENT or EACCES. Null: it can. */
export function unreadable(path: string): string | null {
  try {
    accessSync(path, constants.R_OK)
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? null
  }
}

/**
 * Creates the data folder when it is missing. Root gives it to the owner of the folder around it, such as the clone's.
 */
export function createDataDir(dataDir: string): void {
  if (existsSync(dataDir)) return
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const owner = ownerOf(dirname(resolve(dataDir)))
  if (owner) chownSync(dataDir, owner.uid, owner.gid)
}

/**
 * Gives what root has written in the data folder to the folder's owner, who is the service's user. A call by another user
 * changes nothing.
 * @param names files and folders in it, with all that they contain
 */
export function giveToOwner(dataDir: string, names: readonly string[]): void {
  const owner = ownerOf(dataDir)
  if (!owner) return
  const give = (path: string) => {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (!stats || stats.isSymbolicLink()) return
    if (stats.isDirectory()) for (const name of readdirSync(path)) give(join(path, name))
    chownSync(path, owner.uid, owner.gid)
  }
  for (const name of names) give(join(dataDir, name))
}

import { existsSync } from "node:fs"
import { join } from "node:path"
import Database from "libsql"

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

import { join } from "node:path"
import Database from "libsql"

/**
 * Locks a data folder until the returned function is called or the process ends. Two services on one folder would each
 * have their own rate limiters and count limits and credits separately.
 * @returns a function that unlocks the folder @throws Error when another process holds the lock
 */
export function lockFolder(folder: string): () => void {
  const lock = new Database(join(folder, "in-use.lock"))
  try {
    lock.exec("BEGIN EXCLUSIVE")
  } catch (cause) {
    lock.close()
    throw new Error(`another service uses the data folder ${folder}: stop it, or set DATA_DIR to another folder`, {
      cause,
    })
  }
  return () => lock.close()
}

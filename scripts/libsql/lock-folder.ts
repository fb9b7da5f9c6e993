import { join } from "node:path"
import Database from "libsql"

/**
 * Takes a data folder for this process, until it lets go or ends, however it ends: two services on one folder would each
 * have gates of their own, and count limits and credits apart.
 * @returns how to let go @throws Error when another process has it
 */
export function lockFolder(folder: string): () => void {
  const lock = new Database(join(folder, "in-use.lock"))
  try {
    lock.exec("BEGIN EXCLUSIVE")
  } catch (cause) {
    lock.close()
    throw new Error(`another service runs on the data folder ${folder}; stop it, or set DATA_DIR to another one`, {
      cause,
    })
  }
  return () => lock.close()
}

import { accessSync, constants, existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { type LocalSecrets, localSecrets } from "./secrets.ts"

/** What the parts write to; backups beside it may be somebody else's. */
const WRITTEN = ["", "mailverdict.db", "mailverdict.db-wal", "mailverdict.db-shm", "in-use.lock", "workerd"]

/**
 * Makes the data folder where it is missing.
 * @returns the secrets in it @throws Error that names DATA_DIR, where it cannot be used, as after a start by another user
 */
export async function openDataDir(dataDir: string): Promise<LocalSecrets> {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    for (const path of WRITTEN.map((name) => join(dataDir, name)))
      if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK)
    return await localSecrets(dataDir)
  } catch (error) {
    throw new Error(`DATA_DIR: ${(error as Error).message}`, { cause: error })
  }
}

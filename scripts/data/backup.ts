import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import Database from "libsql"
import { readEnvFile } from "../dev/env-file.ts"

export const DATABASE = "mailverdict.db"
const SECRETS = "secrets.json"

/**
 * Copies the database of the embedded server while the server runs: SQLite's VACUUM INTO reads in one transaction.
 * Copies the secrets too: without them the API keys in the database cannot be verified. Omits the edge's counters and
 * caches, which the service rebuilds.
 * @param target a folder that does not exist yet
 * @throws Error when there is no database or the copy is damaged
 */
export function backUp(dataDir: string, target: string): void {
  const source = join(dataDir, DATABASE)
  if (!existsSync(source)) throw new Error(`no database at ${source}: set DATA_DIR to the data folder`)
  if (existsSync(target)) throw new Error(`${target} already exists: choose another folder`)
  const unfinished = `${target}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true, mode: 0o700 })
  const copy = join(unfinished, DATABASE)
  const database = new Database(source, { timeout: 10_000 })
  try {
    database.exec(`VACUUM INTO '${copy.replaceAll("'", "''")}'`)
  } finally {
    database.close()
  }
  checkDatabase(copy)
  chmodSync(copy, 0o600)
  if (existsSync(join(dataDir, SECRETS))) {
    copyFileSync(join(dataDir, SECRETS), join(unfinished, SECRETS))
    chmodSync(join(unfinished, SECRETS), 0o600)
  }
  renameSync(unfinished, target)
}

/** @throws Error when SQLite finds the file damaged */
export function checkDatabase(file: string): void {
  const database = new Database(file, { readonly: true })
  try {
    const rows = database.prepare("PRAGMA integrity_check").all() as { integrity_check: string }[]
    if (rows[0]?.integrity_check !== "ok") throw new Error(`${file} is damaged: ${rows[0]?.integrity_check}`)
  } finally {
    database.close()
  }
}

if (import.meta.main) {
  readEnvFile()
  const dataDir = process.env.DATA_DIR || ".data"
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, "-")
  const target = process.argv[2] ?? join(dataDir, "backups", stamp)
  try {
    backUp(dataDir, target)
    console.log(`Backed up to ${target}. It contains secrets: store it safely. Restore: npm run restore -- ${target}`)
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
}

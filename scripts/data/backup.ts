import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import Database from "libsql"
import { readEnvFile } from "../dev/env-file.ts"
import { type BackupSettings, needPepper, saveSecrets } from "./backup-secrets.ts"
import { addressIn, copyFromServer } from "./copy-database.ts"

export const DATABASE = "mailverdict.db"

export interface BackupPlace {
  readonly dataDir: string
  /** The settings of the service. With LIBSQL_URL the database is there, otherwise in `dataDir`. */
  readonly settings: BackupSettings
}

/**
 * Copies the database while the service runs, as it is at one moment: the file of the embedded server, or the database
 * at LIBSQL_URL. Copies the secrets too: without them the API keys in the database cannot be verified. Omits the edge's
 * counters and caches, which the service rebuilds.
 * @param target a folder that does not exist yet
 * @throws Error when there is no database, the copy is damaged, or KEY_PEPPER is unknown
 */
export async function backUp({ dataDir, settings }: BackupPlace, target: string): Promise<void> {
  const address = addressIn(settings)
  const source = join(dataDir, DATABASE)
  if (address) needPepper(dataDir, settings)
  else if (!existsSync(source)) throw new Error(`no database at ${source}: set DATA_DIR to the data folder`)
  if (existsSync(target)) throw new Error(`${target} already exists: choose another folder`)
  const unfinished = `${target}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true, mode: 0o700 })
  const copy = join(unfinished, DATABASE)
  if (address) await copyFromServer(address, copy)
  else copyFile(source, copy)
  releaseLease(copy)
  checkDatabase(copy)
  chmodSync(copy, 0o600)
  saveSecrets({ dataDir, settings }, unfinished)
  renameSync(unfinished, target)
}

/** SQLite's VACUUM INTO reads in one transaction. */
function copyFile(source: string, copy: string): void {
  const database = new Database(source, { timeout: 10_000 })
  try {
    database.exec(`VACUUM INTO '${copy.replaceAll("'", "''")}'`)
  } finally {
    database.close()
  }
}

/** No edge runs on the copy. With the lease of the running one, a start within 30 s of the backup would be refused. */
function releaseLease(file: string): void {
  const database = new Database(file)
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE name = 'installation'").all()
    if (tables.length > 0) database.exec("UPDATE installation SET edge_id = NULL, edge_run = NULL, edge_until = 0")
  } finally {
    database.close()
  }
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
    await backUp({ dataDir, settings: process.env }, target)
    console.log(`Backed up to ${target}. It contains secrets: store it safely. Restore: npm run restore -- ${target}`)
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
}

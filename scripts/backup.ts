import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import Database from "libsql"
import { readEnvFile } from "./env-file.ts"

export const DATABASE = "mailverdict.db"
const SECRETS = "secrets.json"

/**
 * A consistent copy of what the embedded server stores, while it goes on writing: one read transaction of SQLite's
 * VACUUM INTO. The secrets go with it, for without them no key in it could be recognised. Counts and caches of the edge
 * are made anew from it.
 * @param target a folder that does not exist yet
 * @throws Error when there is nothing to copy, or the copy is not whole
 */
export function backUp(dataDir: string, target: string): void {
  const source = join(dataDir, DATABASE)
  if (!existsSync(source)) throw new Error(`there is no database at ${source}; DATA_DIR names its folder`)
  if (existsSync(target)) throw new Error(`${target} is there already`)
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
  if (existsSync(join(dataDir, SECRETS))) {
    copyFileSync(join(dataDir, SECRETS), join(unfinished, SECRETS))
    chmodSync(join(unfinished, SECRETS), 0o600)
  }
  renameSync(unfinished, target)
}

/** @throws Error when the file is no whole database */
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
    console.log(`backed up to ${target}; it holds secrets, keep it like one. Put it back: npm run restore -- ${target}`)
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
}

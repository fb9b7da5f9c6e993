import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import Database from "libsql"
import { readEnvFile } from "../dev/env-file.ts"
import { checkDatabase, DATABASE } from "./backup.ts"
import { appliedInFile, isOlder, olderDatabase } from "./older-database.ts"

/** State of the edge derived from the database: keys, rates and results. It would not match an older database. */
const DERIVED = "workerd"
const SIDE_FILES = ["-wal", "-shm"]

/**
 * Replaces the data by a backup and moves the former database aside. The service must be stopped.
 * @returns the folder of the former database; null when there was none
 * @throws Error when the backup is damaged or from an older version, or when the service is running
 */
export function restore(backup: string, dataDir: string): string | null {
  const source = join(backup, DATABASE)
  if (!existsSync(source)) throw new Error(`no backup at ${backup}: name a folder made by npm run backup`)
  checkDatabase(source)
  if (isOlder(appliedInFile(source)))
    throw new Error(
      olderDatabase(source, "Restore a backup of this version, or use the version that created this one."),
    )
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const target = join(dataDir, DATABASE)
  const unfinished = `${target}.unfinished`
  const former = existsSync(target) ? join(dataDir, `before-restore-${Date.now()}`) : null
  if (former) refuseWhileRunning(target)
  // Copied first: when the disk is full, the current data stays in place.
  copyFileSync(source, unfinished)
  chmodSync(unfinished, 0o600)
  if (former) setAside(dataDir, former)
  rmSync(join(dataDir, DERIVED), { recursive: true, force: true })
  if (existsSync(join(backup, "secrets.json"))) {
    copyFileSync(join(backup, "secrets.json"), join(dataDir, "secrets.json"))
    chmodSync(join(dataDir, "secrets.json"), 0o600)
  }
  renameSync(unfinished, target)
  return former
}

function setAside(dataDir: string, former: string): void {
  mkdirSync(former, { mode: 0o700 })
  for (const name of [DATABASE, ...SIDE_FILES.map((end) => DATABASE + end)])
    if (existsSync(join(dataDir, name))) renameSync(join(dataDir, name), join(former, name))
  if (existsSync(join(dataDir, "secrets.json")))
    copyFileSync(join(dataDir, "secrets.json"), join(former, "secrets.json"))
}

/** Leaving write-ahead mode needs exclusive access, so it fails while the service runs. */
function refuseWhileRunning(file: string): void {
  const database = new Database(file, { timeout: 500 })
  try {
    const [row] = database.prepare("PRAGMA journal_mode = DELETE").all() as { journal_mode: string }[]
    if (row?.journal_mode !== "delete") throw new Error("in use")
  } catch {
    throw new Error(`${file} is in use: stop the service first`)
  } finally {
    database.close()
  }
}

if (import.meta.main) {
  const [backup] = process.argv.slice(2)
  try {
    if (!backup) throw new Error("Usage: npm run restore -- <backup folder>   (DATA_DIR names the target)")
    readEnvFile()
    const dataDir = process.env.DATA_DIR || ".data"
    const former = restore(backup, dataDir)
    console.log(`Restored ${backup} to ${dataDir}.${former ? ` The former database is in ${former}.` : ""}`)
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
}

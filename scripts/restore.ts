import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import Database from "libsql"
import { checkDatabase, DATABASE } from "./backup.ts"
import { readEnvFile } from "./env-file.ts"

/** What the edge remembers of the database: keys, rates and results, which would not fit an older one. */
const DERIVED = "workerd"
const SIDE_FILES = ["-wal", "-shm"]

/**
 * Puts a backup in the place of what is there; that is kept beside it. The service must be stopped.
 * @returns where the former data went; null when there were none
 * @throws Error when the backup is not whole or the service is running
 */
export function restore(backup: string, dataDir: string): string | null {
  const source = join(backup, DATABASE)
  if (!existsSync(source)) throw new Error(`there is no backup at ${backup}`)
  checkDatabase(source)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const target = join(dataDir, DATABASE)
  const unfinished = `${target}.unfinished`
  const former = existsSync(target) ? join(dataDir, `before-restore-${Date.now()}`) : null
  if (former) refuseWhileRunning(target)
  // Before anything is moved: a disk without room for both leaves the service with what it had.
  copyFileSync(source, unfinished)
  if (former) setAside(dataDir, former)
  rmSync(join(dataDir, DERIVED), { recursive: true, force: true })
  if (existsSync(join(backup, "secrets.json")))
    copyFileSync(join(backup, "secrets.json"), join(dataDir, "secrets.json"))
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

/** Nobody else may have the file open: leaving write-ahead mode needs it to oneself. */
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
    if (!backup) throw new Error("usage: npm run restore -- <backup folder>, with DATA_DIR naming where it goes")
    readEnvFile()
    const dataDir = process.env.DATA_DIR || ".data"
    const former = restore(backup, dataDir)
    console.log(`restored ${backup} to ${dataDir}${former ? `; what was there is in ${former}` : ""}`)
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
}

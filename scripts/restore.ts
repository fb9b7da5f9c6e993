import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import Database from "libsql"
import { checkDatabase, DATABASE } from "./backup.ts"

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
  mkdirSync(dataDir, { recursive: true })
  const target = join(dataDir, DATABASE)
  const former = existsSync(target) ? join(dataDir, `before-restore-${Date.now()}`) : null
  if (former) setAside(dataDir, former)
  rmSync(join(dataDir, DERIVED), { recursive: true, force: true })
  copyFileSync(source, `${target}.unfinished`)
  if (existsSync(join(backup, "secrets.json")))
    copyFileSync(join(backup, "secrets.json"), join(dataDir, "secrets.json"))
  renameSync(`${target}.unfinished`, target)
  return former
}

function setAside(dataDir: string, former: string): void {
  refuseWhileRunning(join(dataDir, DATABASE))
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
    if (!backup) throw new Error("usage: node scripts/restore.ts <backup folder>, with DATA_DIR naming where it goes")
    const former = restore(backup, process.env.DATA_DIR ?? ".data")
    console.log(`restored ${backup}${former ? `; what was there is in ${former}` : ""}`)
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
}

import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Beside the data, so that the doctor finds it wherever the backups are. */
const FILE = "last-backup.json"

export interface LastBackup {
  /** Unix ms. */
  readonly at: number
  /** Its folder or its s3:// URL. */
  readonly place: string
}

/** Records a complete backup of this data folder. Without the folder, as with LIBSQL_URL, nothing is recorded. */
export function recordBackup(dataDir: string, backup: LastBackup): void {
  const file = join(dataDir, FILE)
  try {
    writeFileSync(`${file}.unfinished`, JSON.stringify(backup), { mode: 0o600 })
    renameSync(`${file}.unfinished`, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
  }
}

/** The last complete backup. Null when none is recorded. */
export function lastBackup(dataDir: string): LastBackup | null {
  try {
    const { at, place } = JSON.parse(readFileSync(join(dataDir, FILE), "utf8")) as Partial<LastBackup>
    return typeof at === "number" && typeof place === "string" ? { at, place } : null
  } catch {
    return null
  }
}

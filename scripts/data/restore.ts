import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import Database from "libsql"
import { readEnvFile } from "../dev/env-file.ts"
import { useProxyFromEnvironment } from "../dev/outgoing-http.ts"
import { type BackupPlace, checkDatabase } from "./backup.ts"
import { copySecrets, expectPepper } from "./backup-secrets.ts"
import { DATABASE, GENERATED, stampOf } from "./backup-set.ts"
import { fetchBackup } from "./backup-store.ts"
import { addressIn, copyToServer } from "./copy-database.ts"
import { appliedInFile, isOlder, olderDatabase } from "./older-database.ts"

/** State of the edge derived from the database: keys, rates and results. It would not match an older database. */
const DERIVED = "workerd"
const SIDE_FILES = ["-wal", "-shm"]

/**
 * Replaces the data by a backup: in the data folder, where it moves the former database aside, or in the empty database
 * at LIBSQL_URL. The service must be stopped.
 * @returns the folder of the former database or secrets; null when there were none
 * @throws Error when the backup is damaged or from an older version, its pepper is not the one of the settings, the
 *   service is running, or the database at LIBSQL_URL is not empty
 */
export async function restore(backup: string, { dataDir, settings }: BackupPlace): Promise<string | null> {
  const source = join(backup, DATABASE)
  if (!existsSync(source)) throw new Error(`no backup at ${backup}: name a folder made by npm run backup`)
  checkDatabase(source)
  if (isOlder(appliedInFile(source)))
    throw new Error(
      olderDatabase(source, "Restore a backup of this version, or use the version that created this one."),
    )
  expectPepper(backup, settings)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const target = join(dataDir, DATABASE)
  const address = addressIn(settings)
  const replaced = address ? [GENERATED] : [DATABASE, ...SIDE_FILES.map((end) => DATABASE + end), GENERATED]
  const former = existsSync(join(dataDir, replaced[0]!)) ? join(dataDir, `before-restore-${Date.now()}`) : null
  if (address) await copyToServer(source, address)
  else {
    if (former) refuseWhileRunning(target)
    // Copied first: when the disk is full, the current data stays in place.
    copyFileSync(source, `${target}.unfinished`)
    chmodSync(`${target}.unfinished`, 0o600)
  }
  if (former) setAside(dataDir, { former, names: replaced })
  rmSync(join(dataDir, DERIVED), { recursive: true, force: true })
  copySecrets(backup, dataDir)
  if (!address) renameSync(`${target}.unfinished`, target)
  return former
}

function setAside(dataDir: string, { former, names }: { former: string; names: readonly string[] }): void {
  mkdirSync(former, { mode: 0o700 })
  for (const name of names)
    if (name !== GENERATED && existsSync(join(dataDir, name))) renameSync(join(dataDir, name), join(former, name))
  copySecrets(dataDir, former)
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

/** Restores a backup from S3. Its copy in the data folder is removed afterwards. */
async function restoreFromS3(address: string, place: BackupPlace): Promise<string | null> {
  const copy = join(place.dataDir, "backups", `${stampOf(Date.now())}.upload`)
  try {
    await fetchBackup(address, copy, place.settings)
    return await restore(copy, place)
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const [backup] = process.argv.slice(2)
  try {
    if (!backup)
      throw new Error(
        "Usage: npm run restore -- <backup folder, or s3://bucket/prefix/name>   (DATA_DIR or LIBSQL_URL names the target)",
      )
    readEnvFile()
    useProxyFromEnvironment()
    const dataDir = process.env.DATA_DIR || ".data"
    const place = { dataDir, settings: process.env }
    const former = await (backup.startsWith("s3:") ? restoreFromS3(backup, place) : restore(backup, place))
    const target = process.env.LIBSQL_URL ? "the database at LIBSQL_URL" : dataDir
    console.log(`Restored ${backup} to ${target}.${former ? ` The former data is in ${former}.` : ""}`)
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
}

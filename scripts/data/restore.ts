import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { useProxyFromEnvironment } from "../dev/outgoing-http.ts"
import { readEnvFile } from "../dev/settings.ts"
import { checkDatabase } from "./backup.ts"
import {
  type BackupPlace,
  copySecrets,
  DATABASE,
  expectPepper,
  expectReadable,
  GENERATED,
  ownBackups,
} from "./backup-set.ts"
import { fetchBackup } from "./backup-store.ts"
import { addressIn, copyToServer } from "./copy-database.ts"
import { appliedInFile, isOlder, lockFolder, olderDatabase } from "./data-dir.ts"
import { createDataDir, DATA_FILES, DATABASE_FILES, FORMER, giveToOwner } from "./data-files.ts"

/**
 * Replaces the data by a backup: in the data folder, where it moves the former database aside, or in the empty database
 * at LIBSQL_URL. The owner's key of a first start moves with the former data, because the backup does not know it. The
 * service must be stopped. Root gives the files to the owner of the data folder.
 * @returns the folder of the former data; null when there was none
 * @throws Error when the backup is damaged or from an older version, its pepper is not the one of the settings, the
 *   service is running, or the database at LIBSQL_URL is not empty
 */
export async function restore(backup: string, { dataDir, settings }: BackupPlace): Promise<string | null> {
  const source = join(backup, DATABASE)
  expectReadable(backup)
  checkDatabase(source)
  if (isOlder(appliedInFile(source)))
    throw new Error(
      olderDatabase(source, "Restore a backup of this version, or use the version that created this one."),
    )
  expectPepper(backup, settings)
  createDataDir(dataDir)
  const address = addressIn(settings)
  const replaced = [...(address ? [] : DATABASE_FILES), DATA_FILES.ownerKey].filter((name) =>
    existsSync(join(dataDir, name)),
  )
  const hasFormer = replaced.length > 0 || existsSync(join(dataDir, GENERATED))
  const former = hasFormer ? `${FORMER}${Date.now()}` : null
  const unlock = former ? lockFolder(dataDir) : () => undefined
  try {
    if (address) await copyToServer(source, address)
    else copyNew(source, join(dataDir, DATABASE))
    if (former) setAside(dataDir, { former: join(dataDir, former), names: replaced })
    rmSync(join(dataDir, DATA_FILES.derived), { recursive: true, force: true })
    copySecrets(backup, dataDir)
    if (!address) renameSync(unfinished(join(dataDir, DATABASE)), join(dataDir, DATABASE))
  } finally {
    unlock()
    giveToOwner(dataDir, [DATABASE, GENERATED, DATA_FILES.lock, ...(former ? [former] : [])])
  }
  return former && join(dataDir, former)
}

const unfinished = (file: string) => `${file}.unfinished`

/** Copies the database before the current one is moved: when the disk is full, the current data stays in place. */
function copyNew(source: string, target: string): void {
  try {
    copyFileSync(source, unfinished(target))
  } catch (error) {
    rmSync(unfinished(target), { recursive: true, force: true })
    throw error
  }
  chmodSync(unfinished(target), 0o600)
}

function setAside(dataDir: string, { former, names }: { former: string; names: readonly string[] }): void {
  mkdirSync(former, { mode: 0o700 })
  for (const name of names) renameSync(join(dataDir, name), join(former, name))
  copySecrets(dataDir, former)
}

/**
 * Restores a backup from S3. Its copy in the data folder is removed afterwards. After a refusal its secrets stay, because
 * the error names their file. The next backup removes them when they are older than a day.
 */
async function restoreFromS3(address: string, place: BackupPlace): Promise<string | null> {
  createDataDir(place.dataDir)
  const copy = join(ownBackups(place.dataDir), `${basename(address)}.upload`)
  rmSync(copy, { recursive: true, force: true })
  try {
    await fetchBackup(address, copy, place.settings)
    const former = await restore(copy, place)
    rmSync(copy, { recursive: true })
    return former
  } finally {
    rmSync(join(copy, DATABASE), { force: true })
    giveToOwner(place.dataDir, [DATA_FILES.backups])
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
    process.umask(0o077)
    const dataDir = process.env.DATA_DIR || ".data"
    const place = { dataDir, settings: process.env }
    const former = await (backup.startsWith("s3:") ? restoreFromS3(backup, place) : restore(resolve(backup), place))
    const target = process.env.LIBSQL_URL ? "the database at LIBSQL_URL" : dataDir
    console.log(`Restored ${backup} to ${target}.${former ? ` The former data is in ${former}.` : ""}`)
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
}

import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import Database from "libsql"
import { readEnvFile } from "../dev/env-file.ts"
import { useProxyFromEnvironment } from "../dev/outgoing-http.ts"
import { type BackupSettings, needPepper, saveSecrets } from "./backup-secrets.ts"
import { DATABASE, recordBackup, stampOf, surplusOf } from "./backup-set.ts"
import { openStore, removeAbandoned } from "./backup-store.ts"
import { addressIn, copyFromServer } from "./copy-database.ts"

const HELP = `npm run backup [-- FOLDER | --to PLACE] [--keep N]

Copies the database and the secrets while the service runs: to FOLDER, which must not exist yet, or to a new folder, named
by the time, in PLACE.

  --to PLACE     an existing folder, or s3://bucket/prefix (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION,
                 AWS_ENDPOINT_URL). Without it BACKUP_TO, or DATA_DIR/backups
  --keep N       then removes all but the newest N complete backups in PLACE`

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

interface KeptBackup {
  /** A folder or s3://bucket/prefix. Null: the data folder's own. */
  readonly to: string | null
  /** How many complete backups stay in the place. Null: all. */
  readonly keep: number | null
  /** Unix ms. */
  readonly now: number
}

/**
 * Makes a backup in a place that holds several, and then removes the surplus.
 * @returns its address and how many older ones were removed
 * @throws Error when the backup or its upload fails. Then nothing is removed
 */
export async function backUpTo(place: BackupPlace, { to, keep, now }: KeptBackup) {
  const { dataDir, settings } = place
  const own = join(dataDir, "backups")
  if (to !== null && !to.startsWith("s3:") && !existsSync(to))
    throw new Error(`${to} does not exist: create the folder, or mount its disk`)
  const store = openStore(to ?? own, settings)
  const name = stampOf(now)
  if (store.upload) {
    // On the way the copy is in the data folder: a folder elsewhere may be open to other users.
    const copy = join(own, `${name}.upload`)
    await backUp(place, copy)
    await store.upload(name, copy).finally(() => rmSync(copy, { recursive: true, force: true }))
  } else await backUp(place, store.addressOf(name))
  recordBackup(dataDir, { at: now, place: store.upload ? store.addressOf(name) : resolve(store.addressOf(name)) })
  removeAbandoned(store.upload ? own : (to ?? own), now)
  const surplus = keep === null ? [] : surplusOf(await store.complete(), { keep, own: name })
  for (const one of surplus) await store.remove(one)
  return { address: store.addressOf(name), removed: surplus.length }
}

/** @throws Error when the arguments contradict each other */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { to: { type: "string" }, keep: { type: "string" }, help: { type: "boolean" } },
    allowPositionals: true,
  })
  if (values.help) return console.log(HELP)
  const [folder, ...more] = positionals
  if (more.length > 0 || (folder !== undefined && (values.to !== undefined || values.keep !== undefined)))
    throw new Error("a folder of its own has neither --to nor --keep: use --to for the folder that holds all backups")
  const keep = values.keep === undefined ? null : Number(values.keep)
  if (keep !== null && !(Number.isInteger(keep) && keep >= 1)) throw new Error("--keep: write a whole number from 1 on")
  readEnvFile()
  useProxyFromEnvironment()
  const place = { dataDir: process.env.DATA_DIR || ".data", settings: process.env }
  if (folder !== undefined) {
    await backUp(place, folder)
    recordBackup(place.dataDir, { at: Date.now(), place: resolve(folder) })
    return report(folder, 0)
  }
  const { address, removed } = await backUpTo(place, {
    to: values.to || process.env.BACKUP_TO || null,
    keep,
    now: Date.now(),
  })
  report(address, removed)
}

function report(address: string, removed: number): void {
  console.log(`Backed up to ${address}. It contains secrets: store it safely. Restore: npm run restore -- ${address}`)
  if (removed > 0) console.log(`Removed ${removed} older ${removed === 1 ? "backup" : "backups"}.`)
}

if (import.meta.main)
  await main().catch((error: Error) => {
    console.error(error.message)
    process.exitCode = 1
  })

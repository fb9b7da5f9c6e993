import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import Database from "libsql"
import { useProxyFromEnvironment } from "../dev/outgoing-http.ts"
import { readEnvFile } from "../dev/settings.ts"
import {
  type BackupPlace,
  DATABASE,
  expectOwnPepper,
  ownBackups,
  recordBackup,
  saveSecrets,
  stampOf,
  surplusOf,
} from "./backup-set.ts"
import { claimPlace, completeIn, openStore, removeAbandoned } from "./backup-store.ts"
import { addressIn, copyFromServer } from "./copy-database.ts"
import { DATA_FILES, giveToOwner, unreadable } from "./data-files.ts"

const HELP = `npm run backup [-- FOLDER | --to PLACE] [--keep N]

Copies the database and the secrets while the service runs: to FOLDER, which must not exist yet, or to a new folder, named
by the time, in PLACE.

  --to PLACE     an existing folder, or s3://bucket/prefix (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION,
                 AWS_ENDPOINT_URL). Without it BACKUP_TO, or DATA_DIR/backups
  --keep N       then removes all but the newest N complete backups in PLACE, which belongs to one installation`

/**
 * Copies the database while the service runs, as it is at one moment: the file of the embedded server, or the database
 * at LIBSQL_URL. Copies the secrets too: without them the API keys in the database cannot be verified. Omits the edge's
 * counters and caches, which the service rebuilds.
 * @param target a folder that does not exist yet. A failure leaves none
 * @throws Error when there is no database, the copy is damaged, or the pepper of the database is unknown here
 */
export async function backUp(place: BackupPlace, target: string): Promise<void> {
  await expectSource(place)
  await copyTo(place, target)
}

/** @returns what identifies the installation @throws Error when there is no database, or its pepper is unknown here */
async function expectSource(place: BackupPlace): Promise<readonly string[]> {
  const source = join(place.dataDir, DATABASE)
  const code = addressIn(place.settings) ? null : unreadable(source)
  if (code === "ENOENT") throw new Error(`no database at ${source}: set DATA_DIR to the data folder`)
  if (code) throw new Error(`${source} cannot be read (${code}): run this as the service's user`)
  return expectOwnPepper(place)
}

async function copyTo({ dataDir, settings }: BackupPlace, target: string): Promise<void> {
  if (existsSync(target)) throw new Error(`${target} already exists: choose another folder`)
  const address = addressIn(settings)
  const unfinished = `${target}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true, mode: 0o700 })
  try {
    const copy = join(unfinished, DATABASE)
    if (address) await copyFromServer(address, copy)
    else copyDatabase(join(dataDir, DATABASE), copy)
    releaseLease(copy)
    checkDatabase(copy)
    chmodSync(copy, 0o600)
    saveSecrets({ dataDir, settings }, unfinished)
    renameSync(unfinished, target)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    throw error
  }
}

/** Copies a database while its server uses it. SQLite's VACUUM INTO reads in one transaction. */
export function copyDatabase(source: string, copy: string): void {
  withFile(source, { timeout: 10_000 }, (database) => database.exec(`VACUUM INTO '${copy.replaceAll("'", "''")}'`))
}

/** No edge runs on the copy. With the lease of the running one, a start within 30 s of the backup would be refused. */
function releaseLease(file: string): void {
  withFile(file, {}, (database) => {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE name = 'installation'").all()
    if (tables.length > 0) database.exec("UPDATE installation SET edge_id = NULL, edge_run = NULL, edge_until = 0")
  })
}

/** @throws Error when SQLite finds the file damaged */
export function checkDatabase(file: string): void {
  withFile(file, { readonly: true }, (database) => {
    const rows = database.prepare("PRAGMA integrity_check").all() as { integrity_check: string }[]
    if (rows[0]?.integrity_check !== "ok") throw new Error(`${file} is damaged: ${rows[0]?.integrity_check}`)
  })
}

function withFile(file: string, options: Database.Options, work: (database: Database.Database) => void): void {
  const database = new Database(file, options)
  try {
    work(database)
  } finally {
    database.close()
  }
}

interface BackupOptions {
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
 * @throws Error when the backup or its upload fails, or the place is of another installation. Then no complete backup is
 *   removed
 */
export async function backUpTo(place: BackupPlace, { to, keep, now }: BackupOptions) {
  const { dataDir, settings } = place
  const own = ownBackups(dataDir)
  if (to !== null && !to.startsWith("s3:") && !existsSync(to))
    throw new Error(`${to} does not exist: create the folder, or mount its disk`)
  const store = openStore(to ?? own, settings)
  const installation = await expectSource(place)
  if (to !== null && keep !== null) await claimPlace(store, installation)
  await removeAbandoned(openStore(own, settings), now)
  const name = stampOf(now)
  if (store.upload) {
    // On the way the copy is in the data folder: a folder elsewhere may be open to other users.
    const copy = join(own, `${name}.upload`)
    await copyTo(place, copy)
    await store.upload(name, copy).finally(() => rmSync(copy, { recursive: true, force: true }))
  } else await copyTo(place, store.addressOf(name))
  recordBackup(dataDir, { at: now, place: store.upload ? store.addressOf(name) : resolve(store.addressOf(name)) })
  if (keep === null) return { address: store.addressOf(name), removed: 0 }
  await removeAbandoned(store, now)
  const surplus = surplusOf(await completeIn(store), { keep, own: name })
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
  const dataDir = process.env.DATA_DIR || ".data"
  const place = { dataDir, settings: process.env }
  const to = values.to || process.env.BACKUP_TO || null
  try {
    if (folder === undefined) return report(await backUpTo(place, { to, keep, now: Date.now() }))
    await backUp(place, folder)
    recordBackup(dataDir, { at: Date.now(), place: resolve(folder) })
    report({ address: folder, removed: 0 })
  } finally {
    giveToOwner(dataDir, [DATA_FILES.backups, DATA_FILES.lastBackup])
  }
}

function report({ address, removed }: { address: string; removed: number }): void {
  console.log(`Backed up to ${address}. It contains secrets: store it safely. Restore: npm run restore -- ${address}`)
  if (removed > 0) console.log(`Removed ${removed} older ${removed === 1 ? "backup" : "backups"}.`)
}

if (import.meta.main)
  await main().catch((error: Error) => {
    console.error(error.message)
    process.exitCode = 1
  })

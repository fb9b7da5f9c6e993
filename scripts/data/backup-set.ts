import { chmodSync, copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseEnv } from "node:util"
import { createDigests } from "../../src/domain/accounts/crypto.ts"
import { ownershipOf, ownSecrets } from "../../src/domain/admin/installation.ts"
import { addressIn, readFromServer } from "./copy-database.ts"
import { readFromFile } from "./data-dir.ts"
import { DATA_FILES, storedSecrets, unreadable, writePrivateFile } from "./data-files.ts"

/** The database of a backup. It is written last, so a folder without it is not complete. */
export const DATABASE = DATA_FILES.database
/** The secrets that `npm start` generates. */
export const GENERATED = DATA_FILES.secrets
/** The secrets that the operator has set, in the form of `.env`. */
const SET = "secrets.env"

/** The files of a backup. */
const FILES: readonly string[] = [DATABASE, GENERATED, SET]
/** An ISO time without characters that a file name cannot have everywhere. */
const STAMP = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z/
/** What follows the time in the name of a backup that is not complete. One before an update also names its purpose. */
const UNFINISHED = /Z(-[\w.-]+)?(\.upload)?\.unfinished$|Z\.upload$/
const DAY_MS = 86_400_000

/** The name of a backup. @param now Unix ms */
export const stampOf = (now: number): string => new Date(now).toISOString().replaceAll(/[:.]/g, "-")

/** The folder of the backups that no other place is named for. */
export const ownBackups = (dataDir: string): string => join(dataDir, DATA_FILES.backups)

/** The time of a backup in Unix ms. Null: the name does not begin as one that `npm run backup` gives. */
export function timeOf(name: string): number | null {
  const [, day, hours, minutes, seconds, ms] = STAMP.exec(name) ?? []
  return day === undefined ? null : Date.parse(`${day}T${hours}:${minutes}:${seconds}.${ms}Z`)
}

/** Whether a folder has the name of a backup, and only its files. With any other file it is not one of ours. */
function isBackup(name: string, files: readonly string[]): boolean {
  return STAMP.exec(name)?.[0] === name && files.length > 0 && files.every((file) => FILES.includes(file))
}

/** Whether a folder is a complete backup that `npm run backup` has named. */
export function isComplete(name: string, files: readonly string[]): boolean {
  return isBackup(name, files) && files.includes(DATABASE)
}

/** Whether a folder is what an interrupted backup, upload or removal has left, a day ago or longer. */
export function isAbandoned(name: string, files: readonly string[], now: number): boolean {
  const time = timeOf(name)
  if (time === null || now - time <= DAY_MS) return false
  return UNFINISHED.test(name) || (isBackup(name, files) && !files.includes(DATABASE))
}

/**
 * The backups to remove, so that the newest stay.
 * @param names complete backups, in any order
 * @param own the backup just made, which stays whatever the clock says
 */
export function surplusOf(names: readonly string[], { keep, own }: { keep: number; own: string }): string[] {
  const others = names.filter((name) => name !== own).toSorted()
  return others.slice(0, Math.max(0, others.length - (keep - 1)))
}

interface LastBackup {
  /** Unix ms. */
  readonly at: number
  /** Its folder or its s3:// URL. */
  readonly place: string
}

// The record is beside the data, so that the doctor finds it wherever the backups are.

/** Records a complete backup of this data folder. Without the folder, as with LIBSQL_URL, nothing is recorded. */
export function recordBackup(dataDir: string, backup: LastBackup): void {
  try {
    writePrivateFile(join(dataDir, DATA_FILES.lastBackup), JSON.stringify(backup))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
  }
}

/** The last complete backup. Null when none is recorded. */
export function lastBackup(dataDir: string): LastBackup | null {
  try {
    const text = readFileSync(join(dataDir, DATA_FILES.lastBackup), "utf8")
    const { at, place } = JSON.parse(text) as Partial<LastBackup>
    return typeof at === "number" && typeof place === "string" ? { at, place } : null
  } catch {
    return null
  }
}

type BackupSettings = Readonly<Record<string, string | undefined>>

const NAMES = ["KEY_PEPPER", "KEY_PEPPER_PREVIOUS", "ADMIN_SECRET", "EDGE_SIGNING_KEY", "PROBE_SIGNING_KEY"]
const RECORDED = "SELECT pepper FROM installation"

export interface BackupPlace {
  readonly dataDir: string
  /** The settings of the service. With LIBSQL_URL the database is there, otherwise in `dataDir`. */
  readonly settings: BackupSettings
}

/**
 * Checks that this process knows the pepper of the database. Without it the API keys and secrets in a backup are useless.
 * @returns what identifies the installation: the keyed hash of the pepper, then that of the previous one. None: no service
 *   has started with this database
 * @throws Error when no pepper is known, as on a machine from which only the Worker is deployed, or only another one, as
 *   without a credential that systemd gives to the service's unit
 */
export async function expectOwnPepper(place: BackupPlace): Promise<readonly string[]> {
  const { KEY_PEPPER = "", KEY_PEPPER_PREVIOUS = "" } = place.settings
  const recorded = await recordedPepper(place)
  const pepper = KEY_PEPPER || storedSecrets(place.dataDir)?.keyPepper
  if (!pepper) {
    if (recorded === null && !addressIn(place.settings)) return []
    throw new Error(
      "KEY_PEPPER is not set: without it the API keys and secrets in a backup are useless. " +
        "Set KEY_PEPPER in .env to the value that the service has, then run it again.",
    )
  }
  const own = await ownSecrets(await createDigests([pepper, ...(KEY_PEPPER_PREVIOUS ? [KEY_PEPPER_PREVIOUS] : [])]), "")
  if (ownershipOf({ pepper: recorded, signingKey: null }, own) === "foreign")
    throw new Error(
      "KEY_PEPPER is not the one of the database: with it the API keys in a backup are useless. Give this command the " +
        "secrets of the service. A credential of its unit belongs into mailverdict-backup.service, too.",
    )
  return recorded === null ? [] : own.peppers
}

/** The keyed hash of the pepper in a database. Null: no service has started with it. */
async function recordedPepper({ dataDir, settings }: BackupPlace): Promise<string | null> {
  const address = addressIn(settings)
  try {
    const row = address
      ? await readFromServer(address, RECORDED)
      : readFromFile(join(dataDir, DATABASE), (database) => database.prepare(RECORDED).get())
    return (row as { pepper: string | null } | undefined)?.pepper ?? null
  } catch (error) {
    if ((error as Error).message.includes("no such table")) return null
    throw error
  }
}

/** Saves the generated secrets and those of the settings in a backup's folder, readable by its owner only. */
export function saveSecrets({ dataDir, settings }: BackupPlace, folder: string): void {
  const quoted = (value: string) => (value.includes("'") ? `"${value}"` : `'${value}'`)
  const lines = NAMES.flatMap((name) => (settings[name] ? [`${name}=${quoted(settings[name])}\n`] : []))
  if (lines.length > 0) writeFileSync(join(folder, SET), lines.join(""), { mode: 0o600 })
  copySecrets(dataDir, folder)
}

/** Copies the generated secrets from one folder to another, when there are any. */
export function copySecrets(from: string, to: string): void {
  if (!existsSync(join(from, GENERATED))) return
  copyFileSync(join(from, GENERATED), join(to, GENERATED))
  chmodSync(join(to, GENERATED), 0o600)
}

/** @throws Error when there is no backup in a folder, or this user cannot read one of its files */
export function expectReadable(backup: string): void {
  for (const name of FILES) {
    const code = unreadable(join(backup, name))
    if (code === "EACCES" || code === "EPERM")
      throw new Error(
        `${join(backup, name)}: this user cannot read it (${code}). Run this as root, or give the backup to this user`,
      )
    if (code && name === DATABASE) throw new Error(`no backup at ${backup}: name a folder made by npm run backup`)
  }
}

/**
 * Checks that the service can read the restored database with its settings.
 * @throws Error when KEY_PEPPER is not the one of the backup
 */
export function expectPepper(backup: string, settings: BackupSettings): void {
  const saved = existsSync(join(backup, SET)) ? parseEnv(readFileSync(join(backup, SET), "utf8")) : {}
  const isKnown = (pepper: string) => [settings.KEY_PEPPER, settings.KEY_PEPPER_PREVIOUS].includes(pepper)
  if (saved.KEY_PEPPER) {
    if (isKnown(saved.KEY_PEPPER)) return
    throw new Error(
      `KEY_PEPPER is not the one of the backup: copy the lines of ${join(backup, SET)} into the settings (.env, or ` +
        "/etc/mailverdict/mailverdict.env), or give this command the secrets of the service",
    )
  }
  const generated = settings.KEY_PEPPER ? storedSecrets(backup) : null
  if (generated && !isKnown(generated.keyPepper))
    throw new Error(
      `KEY_PEPPER is not the one of the backup: remove it from the settings, or set it to "keyPepper" of ${join(backup, GENERATED)}`,
    )
}

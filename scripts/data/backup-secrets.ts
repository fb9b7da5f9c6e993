import { chmodSync, copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseEnv } from "node:util"
import { createDigests } from "../../src/domain/accounts/crypto.ts"
import { ownershipOf, ownSecrets } from "../../src/domain/admin/installation.ts"
import { storedSecrets } from "../dev/secrets.ts"
import { DATABASE, FILES, GENERATED, SET } from "./backup-set.ts"
import { addressIn, readFromServer } from "./copy-database.ts"
import { unreadable } from "./data-files.ts"
import { openToRead } from "./older-database.ts"

export type BackupSettings = Readonly<Record<string, string | undefined>>

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
    const row = address ? await readFromServer(address, RECORDED) : rowIn(join(dataDir, DATABASE))
    return (row?.pepper as string | null | undefined) ?? null
  } catch (error) {
    if ((error as Error).message.includes("no such table")) return null
    throw error
  }
}

function rowIn(file: string): { pepper: string | null } | undefined {
  const database = openToRead(file)
  try {
    return database.prepare(RECORDED).get() as { pepper: string | null } | undefined
  } catch (error) {
    throw new Error(`${file} cannot be read: ${(error as Error).message}`, { cause: error })
  } finally {
    database.close()
  }
}

/** Saves the generated secrets and those of the settings in a backup's folder, readable by its owner only. */
export function saveSecrets({ dataDir, settings }: BackupPlace, folder: string): void {
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

function quoted(value: string): string {
  return value.includes("'") ? `"${value}"` : `'${value}'`
}

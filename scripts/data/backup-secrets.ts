import { chmodSync, copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseEnv } from "node:util"
import { GENERATED, SET } from "./backup-set.ts"

export type BackupSettings = Readonly<Record<string, string | undefined>>

const NAMES = ["KEY_PEPPER", "KEY_PEPPER_PREVIOUS", "ADMIN_SECRET", "EDGE_SIGNING_KEY", "PROBE_SIGNING_KEY"]

interface Place {
  readonly dataDir: string
  readonly settings: BackupSettings
}

/** @throws Error when the pepper of the API keys is unknown here, as on a machine from which only the Worker is deployed */
export function needPepper(dataDir: string, settings: BackupSettings): void {
  if (settings.KEY_PEPPER || existsSync(join(dataDir, GENERATED))) return
  throw new Error(
    "KEY_PEPPER is not set: without it the API keys and secrets in a backup are useless. " +
      "Set KEY_PEPPER in .env to the value that the Worker has, then run it again.",
  )
}

/** Saves the generated secrets and those of the settings in a backup's folder, readable by its owner only. */
export function saveSecrets({ dataDir, settings }: Place, folder: string): void {
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

/**
 * Checks that the service can read the restored database with its settings.
 * @throws Error when KEY_PEPPER is not the one of the backup
 */
export function expectPepper(backup: string, settings: BackupSettings): void {
  const saved = existsSync(join(backup, SET)) ? parseEnv(readFileSync(join(backup, SET), "utf8")) : {}
  const isKnown = (pepper: string) => [settings.KEY_PEPPER, settings.KEY_PEPPER_PREVIOUS].includes(pepper)
  if (saved.KEY_PEPPER) {
    if (isKnown(saved.KEY_PEPPER)) return
    throw new Error(`KEY_PEPPER is not the one of the backup: copy the lines of ${join(backup, SET)} into .env`)
  }
  if (!settings.KEY_PEPPER || !existsSync(join(backup, GENERATED))) return
  const { keyPepper } = JSON.parse(readFileSync(join(backup, GENERATED), "utf8")) as { keyPepper?: string }
  if (keyPepper && !isKnown(keyPepper))
    throw new Error(
      `KEY_PEPPER is not the one of the backup: remove it from .env, or set it to "keyPepper" of ${join(backup, GENERATED)}`,
    )
}

function quoted(value: string): string {
  return value.includes("'") ? `"${value}"` : `'${value}'`
}

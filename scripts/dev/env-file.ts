import { accessSync, constants, existsSync, readFileSync, realpathSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseEnv } from "node:util"
import { fileSetting, NODE_SECRETS, readSecretFiles } from "../../schema/wire/secret-files.ts"
import { SECRET_SETTINGS } from "../../src/settings.ts"
import { IS_RELEASE } from "../build/built.ts"

/** Lists every setting; a test compares it with the settings that the code reads. */
const EXAMPLE = new URL("../../.env.example", import.meta.url)
/** Secrets of the backups at S3 (scripts/data/s3.ts). */
const BACKUP_SECRETS = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]
/** The secrets of `npm start` and its scripts. Each may stand in the file that NAME_FILE names. */
export const SECRETS: readonly string[] = [...SECRET_SETTINGS, ...NODE_SECRETS, ...BACKUP_SECRETS]

/** The exit code of wrong settings, EX_CONFIG of sysexits.h: another start does not help, so the unit stays stopped. */
export const WRONG_SETTINGS = 78

/** An installed release: an update replaces its folder, so settings and data are elsewhere. */
const INSTALLED = {
  folder: "/opt/mailverdict",
  settings: "/etc/mailverdict/mailverdict.env",
  dataDir: "/var/lib/mailverdict",
}

/**
 * Loads the settings file, and then the files of secrets (NAME_FILE). Ends the process when it may not read a file, or
 * when one has no secret.
 * @returns the path of the settings file; null without one
 */
export function readEnvFile(): string | null {
  const file = readSettingsFile()
  const { values, problems } = readSecrets(process.env)
  if (problems.length > 0) {
    console.error(`Cannot start. Fix these settings:\n  ${problems.join("\n  ")}`)
    process.exit(WRONG_SETTINGS)
  }
  // The other parts see the secrets alone.
  for (const name of SECRETS) delete process.env[fileSetting(name)]
  Object.assign(process.env, values)
  return file
}

/**
 * Loads the settings file when it exists: `.env`, and in an installed release without one that of the installation, with
 * its data folder. Variables of the environment take precedence. Ends the process when it may not read the file.
 * @returns the path of the file; null without one
 */
export function readSettingsFile(): string | null {
  const file = [".env", ...(isInstalled() ? [INSTALLED.settings] : [])].find((path) => existsSync(path))
  if (!file) return null
  // A unit's process (INVOCATION_ID) has the settings already: systemd reads the file as the superuser.
  if (file === INSTALLED.settings && process.env.INVOCATION_ID && process.env.DATA_DIR && !isReadable(file)) return null
  if (isReadable(file)) {
    process.loadEnvFile(file)
    if (file === INSTALLED.settings) process.env.DATA_DIR ||= INSTALLED.dataDir
    return file
  }
  const { uid, mode } = statSync(file)
  const owner = `It belongs to user ${uid}, with mode ${(mode & 0o777).toString(8)}`
  const advice = `Use the service's user, as in \`sudo -u mailverdict …\`, or give it the file: \`chown mailverdict ${file}\``
  console.error(`${file}: this user cannot read it. ${owner}. ${advice}`)
  process.exit(WRONG_SETTINGS)
}

/** Whether this is an installed release. One that is unpacked elsewhere, to try it, has its own settings and data. */
function isInstalled(): boolean {
  if (!IS_RELEASE || !existsSync(INSTALLED.folder)) return false
  return fileURLToPath(import.meta.url).startsWith(`${realpathSync(INSTALLED.folder)}/`)
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

type Env = Readonly<Record<string, string | undefined>>

/** The settings with the secrets from files under their own names. A problem names the setting and its file. */
export function withSecretFiles(settings: Env): { env: Env; problems: readonly string[] } {
  const { values, problems } = readSecrets(settings)
  const given = Object.entries(settings).filter(([name]) => !SECRETS.some((secret) => fileSetting(secret) === name))
  return { env: { ...Object.fromEntries(given), ...values }, problems }
}

function readSecrets(settings: Env) {
  return readSecretFiles(settings, SECRETS, (path) => readFileSync(path, "utf8"))
}

/** Names in a settings file that are not settings, for example misspelled ones, which would have no effect. */
export function unknownNames(file: string): string[] {
  if (!existsSync(file) || !existsSync(EXAMPLE)) return []
  const documented = readFileSync(EXAMPLE, "utf8").match(/^#?[A-Z][A-Z0-9_]*(?==)/gm) ?? []
  const known = new Set([...documented.map((name) => name.replace(/^#/, "")), ...SECRETS.map(fileSetting)])
  return Object.keys(parseEnv(readFileSync(file, "utf8"))).filter((name) => !known.has(name))
}

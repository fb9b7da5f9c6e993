import { accessSync, constants, existsSync, readFileSync, realpathSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseEnv } from "node:util"
import { z } from "zod"
import { isLoopbackHost } from "../../schema/wire/addresses.ts"
import { fileSetting, NODE_SECRETS, readSecretFiles } from "../../schema/wire/secret-files.ts"
import { readConfig } from "../../src/env.ts"
import { isSet, SECRET_SETTINGS, Settings as WorkerSettings } from "../../src/settings.ts"
import { IS_RELEASE } from "../build/built.ts"
import type { LocalSecrets } from "../data/data-files.ts"
import { capProblems } from "./connection-caps.ts"

/** Lists every setting; a test compares it with the settings that the code reads. */
const EXAMPLE = new URL("../../.env.example", import.meta.url)
/** Secrets of the backups at S3 (scripts/data/s3.ts). */
const BACKUP_SECRETS = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]
/** The secrets of `npm start` and its scripts. Each may stand in the file that NAME_FILE names. */
export const SECRETS: readonly string[] = [...SECRET_SETTINGS, ...NODE_SECRETS, ...BACKUP_SECRETS]

/** The exit code of wrong settings, EX_CONFIG of sysexits.h: another start does not help, so the unit stays stopped. */
const WRONG_SETTINGS = 78

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

/** Settings of `npm start`: the names of production, each with a local default. */
export type Settings = Readonly<Record<string, string | undefined>>

/** Wrong settings. */
export class SettingsError extends Error {
  readonly exitCode = WRONG_SETTINGS
}

const PORT = [0, 65_535] as const
/** Name → smallest and largest value. */
const NUMBERS: Readonly<Record<string, readonly [least: number, most: number]>> = {
  CONNECTIONS: [16, 65_535],
  CONNECTIONS_PER_NETWORK: [1, 65_535],
  PORT,
  LIBSQL_PORT: PORT,
  PROBE_PORT: PORT,
  SANDBOX_SMTP_PORT: PORT,
  SANDBOX_DNS_PORT: PORT,
  SANDBOX_DOH_PORT: PORT,
  CRON_MINUTE_MS: [1, 3_600_000],
  SANDBOX_GREYLIST_SECONDS: [0, 86_400],
  SANDBOX_LATENCY_MS: [0, 60_000],
}

/** Name → allowed values. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  EDGE_TAKEOVER: ["0", "1"],
  LOG_FORMAT: ["readable", "json"],
}

/** Writes in flight at the own database server: concurrent writes share a sync of the disk, and none fails as busy. */
const OWN_SERVER_WRITES = "16"

/** The header that the proxies of scripts/self-hosting set. */
const PROXY_HEADER = "x-real-ip"

/**
 * Adds what follows from API_HOST: a public service behind the proxy of this machine, without the sandbox, whose node
 * greets as the service's host. Settings that are given stay.
 */
export function withDerived(settings: Settings): Settings {
  const host = settings.API_HOST
  if (!host) return settings
  const isBehindProxy = !settings.HOST || isLoopbackHost(settings.HOST)
  const derived = {
    BASE_URL: `https://${host}`,
    SANDBOX: "0",
    PROBE_HELO: host,
    ...(isBehindProxy ? { CLIENT_IP_HEADER: PROXY_HEADER } : {}),
  }
  const given = Object.entries(settings).filter(
    ([name, value]) => value || (name === "CLIENT_IP_HEADER" && value === ""),
  )
  return { ...settings, ...derived, ...Object.fromEntries(given) }
}

/** A public service probes in the name of its operator, not of the sandbox. */
function hostProblems({ API_HOST, PROBE_NODES, PROBE_MAIL_FROM }: Settings): string[] {
  if (!API_HOST) return []
  return [
    ...(z.hostname().safeParse(API_HOST).success ? [] : ["API_HOST: must be a host name, such as api.example.com"]),
    ...(PROBE_NODES || PROBE_MAIL_FROM ? [] : ["PROBE_MAIL_FROM: set it to a mailbox of yours, the sender of probes"]),
  ]
}

/** The settings that the Worker receives. */
export function workerSettings(settings: Settings): Record<string, string> {
  const given = Object.keys(WorkerSettings.shape).filter((name) => isSet(name, settings[name]))
  return {
    ...(settings.LIBSQL_URL ? {} : { LIBSQL_WRITES: OWN_SERVER_WRITES }),
    ...Object.fromEntries(given.map((name) => [name, settings[name]!])),
  }
}

/**
 * Finds problems in the settings of `npm start`. Each problem names the setting, never its value. The node checks its
 * own settings when it starts.
 */
export async function problemsOf(settings: Settings, { keyPepper, edge }: LocalSecrets): Promise<string[]> {
  const made = { LIBSQL_URL: "http://127.0.0.1", KEY_PEPPER: keyPepper, EDGE_SIGNING_KEY: edge.signingKey }
  const read = await readConfig({ ...made, ...workerSettings(settings) })
  const numbers = Object.entries(NUMBERS).flatMap(([name, [least, most]]) => {
    const value = Number(settings[name] || least)
    const isFit = Number.isInteger(value) && value >= least && value <= most
    return isFit ? [] : [`${name}: must be a whole number from ${least} to ${most}`]
  })
  const choices = Object.entries(CHOICES).flatMap(([name, values]) =>
    ["", ...values].includes(settings[name] ?? "") ? [] : [`${name}: must be ${values.join(" or ")}`],
  )
  const caps = numbers.length > 0 ? [] : capProblems(settings, fileLimit())
  const hosts = [...hostProblems(settings), ...exposedSandbox(settings)]
  return [...numbers, ...caps, ...choices, ...hosts, ...(read.ok ? [] : read.problems)]
}

/** The largest number of open files of this process and of those that it starts. Node has raised it to the hard limit. */
export function fileLimit(): number {
  const limit = /^Max open files +(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]
  return limit === "unlimited" ? Number.POSITIVE_INFINITY : Number(limit)
}

/** The sandbox answers for mail servers and prints every sign-in link, so other machines reach it only on request. */
function exposedSandbox({ HOST, SANDBOX }: Settings): string[] {
  if (!HOST || isLoopbackHost(HOST) || SANDBOX) return []
  return ["HOST: other machines can reach this address: set SANDBOX=0, or SANDBOX=1 to run the sandbox there as well"]
}

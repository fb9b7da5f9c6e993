import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, isAbsolute, join } from "node:path"
import type { Terminal } from "./terminal.ts"

/** Wrong usage. The command prints the message on one line and exits with code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

/** What `mailverdict login` and `mailverdict webhooks listen` store. */
export interface Config {
  readonly url?: string
  /** Belongs to `url`, and is sent to no other service. */
  readonly api_key?: string
  /** The key was made by `login`, so `logout` revokes it. A key that was pasted may be in use elsewhere. */
  readonly revoke_on_logout?: boolean
  /** Signs the events that `webhooks listen` forwards, "whsec_…". */
  readonly webhook_secret?: string
}

type Env = Pick<Terminal, "env">

/** The file's path by the XDG Base Directory Specification, which ignores a relative path. */
export function configFile({ env }: Env): string {
  const xdg = env.XDG_CONFIG_HOME ?? ""
  return join(isAbsolute(xdg) ? xdg : join(env.HOME || homedir(), ".config"), "mailverdict", "config.json")
}

/** @returns an empty object without a file @throws UsageError when other users can read the file, or it is broken */
export function readConfig(terminal: Env): Config {
  const config = readReplaceableConfig(terminal)
  if (!config) throw new UsageError(`${configFile(terminal)} is broken. Run: mailverdict login`)
  return config
}

/** As `readConfig`, for a command that replaces the file. @returns null for a broken file */
export function readReplaceableConfig(terminal: Env): Config | null {
  const path = configFile(terminal)
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) return {}
  // On Windows the mode does not show the access control list, and every file looks readable by all.
  const isShared = process.platform !== "win32" && (stats.mode & 0o077) !== 0
  if (isShared) throw new UsageError(`other users can read ${path}. Run: chmod 600 ${path}`)
  const text = readFileSync(path, "utf8")
  try {
    const config: unknown = JSON.parse(text)
    return isConfig(config) ? config : null
  } catch {
    return null
  }
}

function isConfig(value: unknown): value is Config {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  const { url, api_key, webhook_secret, revoke_on_logout } = value as Record<string, unknown>
  if (revoke_on_logout !== undefined && typeof revoke_on_logout !== "boolean") return false
  return [url, api_key, webhook_secret].every((field) => field === undefined || typeof field === "string")
}

/** Replaces the file in one step, readable by its owner only. */
export function writeConfig(terminal: Env, config: Config): void {
  const path = configFile(terminal)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, path)
}

/** @returns whether there was a file */
export function removeConfig(terminal: Env): boolean {
  const path = configFile(terminal)
  const exists = statSync(path, { throwIfNoEntry: false }) !== undefined
  rmSync(path, { force: true })
  return exists
}

/** The flags that every command takes. */
export interface GlobalFlags {
  readonly apiKey?: string
  readonly url?: string
  readonly json?: boolean
}

const DEFAULT_URL = "http://127.0.0.1:8787"

export interface Settings {
  readonly url: string
  readonly apiKey: string | undefined
  /** Where the key comes from; null without one. */
  readonly keyFrom: string | null
  /** The key of --api-key. */
  readonly flagKey: string | undefined
}

/**
 * Chooses the service and the key: the flag, else the environment variable, else the file. The stored key belongs to the
 * stored URL, and is not sent to another one.
 * @throws UsageError for an invalid key or URL
 */
export function readSettings(terminal: Env, flags: GlobalFlags, stored = readConfig(terminal)): Settings {
  const { env } = terminal
  const file = configFile(terminal)
  const urls = [
    ["--url", flags.url],
    ["MAILVERDICT_URL", env.MAILVERDICT_URL],
    [file, stored.url],
  ] as const
  const [urlFrom, url] = urls.find(isGiven) ?? ["", DEFAULT_URL]
  if (!(/^https?:/i.test(url) && URL.canParse(url)))
    throw new UsageError(`${urlFrom}: ${JSON.stringify(url)} is not an http or https URL`)
  const keys = [
    ["--api-key", flags.apiKey],
    ["MAILVERDICT_API_KEY", env.MAILVERDICT_API_KEY],
    [file, isSameUrl(url, stored.url ?? DEFAULT_URL) ? stored.api_key : undefined],
  ] as const
  const [keyFrom, given] = keys.find(isGiven) ?? [null, undefined]
  const apiKey = given?.trim()
  if (apiKey !== undefined && !isHeaderValue(apiKey))
    throw new UsageError(`${keyFrom}: the API key contains invalid characters`)
  return { url, apiKey, keyFrom, flagKey: flags.apiKey }
}

/** An empty variable counts as none. */
const isGiven = (one: readonly [from: string, value: string | undefined]): one is readonly [string, string] =>
  one[1] !== undefined && one[1].trim() !== ""

const isSameUrl = (one: string, other: string) => URL.canParse(other) && new URL(one).href === new URL(other).href

/**
 * Reads the operator's secret from MAILVERDICT_ADMIN_SECRET, for commands that show the whole service.
 * @throws UsageError for an invalid secret
 */
export function readAdminSecret({ env }: Env): string | undefined {
  const secret = env.MAILVERDICT_ADMIN_SECRET?.trim() || undefined
  if (secret !== undefined && !isHeaderValue(secret))
    throw new UsageError("MAILVERDICT_ADMIN_SECRET: the secret contains invalid characters")
  return secret
}

/** Whether a key can be sent: printable ASCII, without spaces. */
export const isHeaderValue = (key: string) => /^[\x21-\x7e]+$/.test(key)

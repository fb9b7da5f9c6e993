import { readFileSync } from "node:fs"
import { z } from "zod"
import { isLoopbackHost } from "../../schema/wire/addresses.ts"
import { readConfig } from "../../src/env.ts"
import { isSet, Settings as WorkerSettings } from "../../src/settings.ts"
import { capProblems } from "./connection-caps.ts"
import { WRONG_SETTINGS } from "./env-file.ts"
import type { LocalSecrets } from "./secrets.ts"

/** Settings of `npm start`: the names of production, each with a local default. */
export type Settings = Readonly<Record<string, string | undefined>>

/** Wrong settings. */
export class SettingsError extends Error {
  readonly exitCode = WRONG_SETTINGS
}

const PORT = [0, 65_535] as const
/** Name → smallest and largest value. */
const NUMBERS: Readonly<Record<string, readonly [least: number, most: number]>> = {
  ...{ CONNECTIONS: [16, 65_535], CONNECTIONS_PER_NETWORK: [1, 65_535] },
  ...{ PORT, LIBSQL_PORT: PORT, PROBE_PORT: PORT },
  ...{ SANDBOX_SMTP_PORT: PORT, SANDBOX_DNS_PORT: PORT, SANDBOX_DOH_PORT: PORT },
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
    ...{ BASE_URL: `https://${host}`, SANDBOX: "0", PROBE_HELO: host },
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

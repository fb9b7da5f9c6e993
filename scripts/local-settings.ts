import { readConfig } from "../src/env.ts"
import { isSet, Settings as WorkerSettings } from "../src/settings.ts"
import type { LocalSecrets } from "./secrets.ts"

/** The settings of design: the same names as in production, each with a local default. */
export type Settings = Readonly<Record<string, string | undefined>>

const PORT = [0, 65_535] as const
/** name → the least and the most it may be. */
const NUMBERS: Readonly<Record<string, readonly [least: number, most: number]>> = {
  ...{ PORT, LIBSQL_PORT: PORT, PROBE_PORT: PORT },
  CRON_MINUTE_MS: [1, 3_600_000],
  SANDBOX_GREYLIST_SECONDS: [0, 86_400],
  SANDBOX_LATENCY_MS: [0, 60_000],
}

/** What of the settings goes to the Worker. */
export function workerSettings(settings: Settings): Record<string, string> {
  const given = Object.keys(WorkerSettings.shape).filter((name) => isSet(name, settings[name]))
  return Object.fromEntries(given.map((name) => [name, settings[name]!]))
}

/**
 * What is wrong with the settings of `npm start`, each problem with the setting's name and never its value. The Worker
 * would say so to every caller and in its log; what is the node's own it looks at itself, when it starts.
 */
export async function problemsOf(settings: Settings, { keyPepper, edge }: LocalSecrets): Promise<string[]> {
  const made = { LIBSQL_URL: "http://127.0.0.1", KEY_PEPPER: keyPepper, EDGE_SIGNING_KEY: edge.signingKey }
  const read = await readConfig({ ...made, ...workerSettings(settings) })
  const numbers = Object.entries(NUMBERS).flatMap(([name, [least, most]]) => {
    const value = Number(settings[name] || least)
    const isFit = Number.isInteger(value) && value >= least && value <= most
    return isFit ? [] : [`${name}: has to be a whole number from ${least} to ${most}`]
  })
  const sandbox = ["", "0", "1"].includes(settings.SANDBOX ?? "") ? [] : ["SANDBOX: has to be 0 or 1"]
  return [...numbers, ...sandbox, ...(read.ok ? [] : read.problems)]
}

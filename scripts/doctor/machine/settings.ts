import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseEnv } from "node:util"
import { generateKeyPair } from "../../../schema/wire/keys.ts"
import { type Config, readConfig } from "../../../src/env.ts"
import { DATA_FILES } from "../../data/data-files.ts"
import { unknownNames, withSecretFiles } from "../../dev/env-file.ts"
import { problemsOf, withDerived, workerSettings } from "../../dev/local-settings.ts"
import { type LocalSecrets, storedSecrets } from "../../dev/secrets.ts"
import type { Finding } from "../finding.ts"
import { forPublic } from "../settings.ts"

export type Given = Readonly<Record<string, string | undefined>>

export interface MachineSettings {
  readonly given: Given
  readonly dataDir: string
  /** Null when a setting is not valid. */
  readonly config: Config | null
  readonly findings: readonly Finding[]
}

/** Reads the settings of `npm start`: the environment, the settings file, and the secrets that the service generated. */
export async function readMachine(environment: Given, file: string): Promise<MachineSettings> {
  const own = existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {}
  const { env, problems: unread } = withSecretFiles({ ...own, ...environment })
  const given: Given = withDerived(env)
  const dataDir = given.DATA_DIR || ".data"
  const secrets = await generated(dataDir)
  const unknown = unknownNames(file).map((about): Finding => {
    return { about, result: "warn", detail: `is in ${file} but is not a setting: check its spelling` }
  })
  const all = { ...secrets.values, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value)) }
  const problems = [...unread, ...(await problemsOf(given, secrets.used))].map((problem): Finding => {
    const [, name = problem, detail = ""] = /^(\S+?):? (.*)$/s.exec(problem) ?? []
    return { about: name, result: "fail", detail }
  })
  const { KEY_PEPPER, ADMIN_SECRET, EDGE_SIGNING_KEY } = { ...named(secrets.used), ...all }
  const LIBSQL_URL = given.LIBSQL_URL || "http://127.0.0.1"
  const read = await readConfig({ ...workerSettings(given), KEY_PEPPER, ADMIN_SECRET, EDGE_SIGNING_KEY, LIBSQL_URL })
  const settings = read.ok ? forPublic({ given, config: read.config }).filter(isForMachine) : []
  const config = read.ok ? read.config : null
  return {
    given: all,
    dataDir,
    config,
    findings: [...unknown, ...problems, secrets.finding, ...host(given), ...sandbox(given), ...settings],
  }
}

/** What API_HOST sets, and the node's name with it. */
export const SET_BY_HOST: ReadonlySet<string> = new Set(["BASE_URL", "SANDBOX", "PROBE_HELO"])

/** Whether no setting says at which host the service is public, as on a new machine. */
export const lacksHost = ({ API_HOST, BASE_URL }: Given) => !API_HOST && !BASE_URL

function host(given: Given): Finding[] {
  if (!lacksHost(given)) return []
  const detail = "is not set: set it to the host name of this service, such as api.example.com"
  return [{ about: "API_HOST", result: "fail", detail }]
}

/** The check of the proxy says more about this setting. */
function isForMachine({ about, result }: Finding): boolean {
  return !(about === "CLIENT_IP_HEADER" && result === "warn")
}

function sandbox({ SANDBOX }: Given): Finding[] {
  if (SANDBOX === "0") return [{ about: "SANDBOX", result: "ok", detail: "off: the service verifies real addresses" }]
  const detail = "is on: the service verifies addresses under .test only. Set SANDBOX=0 for real ones"
  return [{ about: "SANDBOX", result: "warn", detail }]
}

interface Generated {
  readonly finding: Finding
  /** Those of the folder, by the names of the settings. */
  readonly values: Given
  /** The same, or new ones, with which the other settings can be checked. */
  readonly used: LocalSecrets
}

/** The secrets of the data folder. It creates no file. */
async function generated(dataDir: string): Promise<Generated> {
  const about = "secrets"
  const file = join(dataDir, DATA_FILES.secrets)
  const placeholder = "x".repeat(43)
  const [edge, node] = [await generateKeyPair("edge-1"), await generateKeyPair("node-1")]
  const used = { edge, node, keyPepper: placeholder, adminSecret: placeholder, libsqlToken: placeholder }
  try {
    const stored = storedSecrets(dataDir)
    const detail = stored
      ? `${file} has them`
      : `${file} does not exist: the first start generates it. Is DATA_DIR right?`
    const finding: Finding = { about, result: stored ? "ok" : "warn", detail }
    return { finding, values: stored ? named(stored) : {}, used: stored ?? used }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const detail = code ? `${file} cannot be read (${code}): run this as the service's user` : message
    return { finding: { about, result: "fail", detail }, values: {}, used }
  }
}

function named({ keyPepper, adminSecret, edge }: LocalSecrets): Given {
  return { KEY_PEPPER: keyPepper, ADMIN_SECRET: adminSecret, EDGE_SIGNING_KEY: edge.signingKey }
}

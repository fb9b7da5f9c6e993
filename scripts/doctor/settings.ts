import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseEnv } from "node:util"
import { generateKeyPair } from "../../schema/wire/keys.ts"
import { type Config, readConfig } from "../../src/env.ts"
import { SECRET_SETTINGS, Settings } from "../../src/settings.ts"
import { DATA_FILES, type LocalSecrets, storedSecrets } from "../data/data-files.ts"
import { problemsOf, unknownNames, withDerived, withSecretFiles, workerSettings } from "../dev/settings.ts"
import { type Finding, fail, ok, warn } from "./finding.ts"

export type Given = Readonly<Record<string, string | undefined>>

/** Groups of settings that only work together. */
const TOGETHER = [
  ["MAIL_API_URL", "MAIL_FROM"],
  ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"],
  ["GOOGLE_SERVICE_ACCOUNT", "GOOGLE_ADMIN_SUBJECT"],
  ["MS_TENANT_ID", "MS_CLIENT_ID", "MS_CLIENT_SECRET"],
] as const

const LOCAL_HOST = /^(localhost|127\.|10\.|192\.168\.|\[?::1|0\.0\.0\.0)/

/** @param problems as readConfig gives them: "NAME: what is wrong" */
export function malformed(problems: readonly string[], given: Given): Finding[] {
  return problems.map((problem) => {
    const [, name = problem, what = ""] = /^(.+?): (.*)$/s.exec(problem) ?? []
    return fail(name, Object.hasOwn(Settings.shape, name) && !given[name] ? "is missing" : what)
  })
}

/** @param problem of a setting or its file: "NAME: what is wrong", or "NAME is wrong" */
export function failure(problem: string): Finding {
  const [, name = problem, detail = ""] = /^(\S+?):? (.*)$/s.exec(problem) ?? []
  return fail(name, detail)
}

/** Names in a settings file that are not settings. */
export function unknownIn(file: string): Finding[] {
  return unknownNames(file).map((name) => warn(name, `is in ${file} but is not a setting: check its spelling`))
}

/** Finds settings that work on one machine but not in a deployment to Cloudflare. */
export function forProduction({ given, config, vars }: { given: Given; config: Config; vars: Given }): Finding[] {
  const unknown = Object.keys(vars).filter((name) => !Object.hasOwn(Settings.shape, name))
  return [
    ...forPublic({ given, config }),
    database(config),
    ...secrets(config, given, vars),
    ...unknown.map((name) => warn(name, "is in wrangler.toml but is not a setting")),
  ]
}

/** Finds settings with which a public service lacks a feature or some safety, wherever it runs. */
function forPublic({ given, config }: { given: Given; config: Config }): Finding[] {
  return [...addresses(config), ...TOGETHER.flatMap((names) => groupFindings(names, given)), ...warnings(config)]
}

/** Whether other machines can reach the address, by https. */
export function isPublicUrl({ protocol, hostname }: URL): boolean {
  return protocol === "https:" && !LOCAL_HOST.test(hostname)
}

function addresses({ baseUrl, dohUrls }: Config): Finding[] {
  return [
    isPublicUrl(new URL(baseUrl))
      ? ok("BASE_URL", "a public https URL")
      : fail(
          "BASE_URL",
          "is not a public https URL, on which links and webhooks depend: set it to the service's address",
        ),
    dohUrls.length < 2
      ? warn("DOH_URL", "names one resolver: add a second one, which confirms that a domain does not exist")
      : ok("DOH_URL", `${dohUrls.length} resolvers`),
  ]
}

function database({ libsql }: Config): Finding {
  const { hostname, protocol } = new URL(libsql.url)
  if (LOCAL_HOST.test(hostname))
    return fail("LIBSQL_URL", "is an address of this machine or network: a Worker at Cloudflare cannot reach it")
  return protocol === "http:"
    ? fail("LIBSQL_URL", "is plain http: stored data would cross the network unencrypted")
    : ok("LIBSQL_URL", "an encrypted connection")
}

function secrets({ libsql, adminSecret }: Config, given: Given, vars: Given): Finding[] {
  const shown = Object.keys(vars).filter((name) => SECRET_SETTINGS.some((secret) => secret === name))
  return [
    ...shown.map((name) =>
      fail(name, "is a secret in wrangler.toml: change it, and store it with `wrangler secret put`"),
    ),
    libsql.authToken ? ok("LIBSQL_AUTH_TOKEN", "set") : fail("LIBSQL_AUTH_TOKEN", "is missing: the database is open"),
    !adminSecret
      ? warn("ADMIN_SECRET", "is missing: the operator's endpoints are closed")
      : adminSecret === given.KEY_PEPPER
        ? fail("ADMIN_SECRET", "is the same as KEY_PEPPER: use two different secrets")
        : ok("ADMIN_SECRET", "set"),
    ok("KEY_PEPPER", given.KEY_PEPPER_PREVIOUS ? "set, with KEY_PEPPER_PREVIOUS" : "set"),
    ok("EDGE_SIGNING_KEY", "a valid signing key"),
  ]
}

function groupFindings(names: readonly string[], given: Given): Finding[] {
  const missing = names.filter((name) => !given[name])
  if (missing.length === 0) return [ok(names[0]!, "set, with the settings that it needs")]
  const other = names.find((name) => given[name])
  return other === undefined ? [] : missing.map((name) => fail(name, `is missing: ${other} needs it`))
}

function warnings({ mail, clientIpHeader, webhookRules, listSources }: Config): Finding[] {
  const found: Finding[] = []
  if (!mail)
    found.push(warn("MAIL_API_URL", "is not set: sign-in by link is off. Set it and MAIL_FROM, or use npm run sign-in"))
  if (clientIpHeader === "")
    found.push(
      warn("CLIENT_IP_HEADER", "is empty, so all callers without a key share one limit: name the proxy's header"),
    )
  if (webhookRules.allowHttp)
    found.push(warn("WEBHOOK_ALLOW_HTTP", "is on: webhooks may be sent unencrypted. Remove it"))
  if (listSources.length === 0)
    found.push(
      warn(
        "LIST_SOURCES",
        "is not set: lists of disposable domains change only with releases. Name lists as in .env.example",
      ),
    )
  const disposable = listSources.filter((source) => source.class === "disposable")
  if (disposable.length > 0 && !disposable.some((source) => source.first_hand))
    found.push(
      warn("LIST_SOURCES", "has no first_hand list, so only names that state their purpose become disposable: add one"),
    )
  return found
}

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
  const all = { ...secrets.values, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value)) }
  const problems = [...unread, ...(await problemsOf(given, secrets.used))].map(failure)
  const { KEY_PEPPER, ADMIN_SECRET, EDGE_SIGNING_KEY } = { ...named(secrets.used), ...all }
  const LIBSQL_URL = given.LIBSQL_URL || "http://127.0.0.1"
  const read = await readConfig({ ...workerSettings(given), KEY_PEPPER, ADMIN_SECRET, EDGE_SIGNING_KEY, LIBSQL_URL })
  const config = read.ok ? read.config : null
  // The check of the proxy says more about CLIENT_IP_HEADER.
  const isForMachine = ({ about, result }: Finding) => !(about === "CLIENT_IP_HEADER" && result === "warn")
  const settings = config ? forPublic({ given, config }).filter(isForMachine) : []
  return {
    given: all,
    dataDir,
    config,
    findings: [...unknownIn(file), ...problems, secrets.finding, ...host(given), sandbox(given), ...settings],
  }
}

/** What API_HOST sets, and the node's name with it. */
export const SET_BY_HOST: ReadonlySet<string> = new Set(["BASE_URL", "SANDBOX", "PROBE_HELO"])

/** Whether no setting says at which host the service is public, as on a new machine. */
export const lacksHost = ({ API_HOST, BASE_URL }: Given) => !API_HOST && !BASE_URL

function host(given: Given): Finding[] {
  if (!lacksHost(given)) return []
  return [fail("API_HOST", "is not set: set it to the host name of this service, such as api.example.com")]
}

function sandbox({ SANDBOX }: Given): Finding {
  if (SANDBOX === "0") return ok("SANDBOX", "off: the service verifies real addresses")
  return warn("SANDBOX", "is on: the service verifies addresses under .test only. Set SANDBOX=0 for real ones")
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
    const finding = stored ? ok(about, detail) : warn(about, detail)
    return { finding, values: stored ? named(stored) : {}, used: stored ?? used }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const detail = code ? `${file} cannot be read (${code}): run this as the service's user` : message
    return { finding: fail(about, detail), values: {}, used }
  }
}

function named({ keyPepper, adminSecret, edge }: LocalSecrets): Given {
  return { KEY_PEPPER: keyPepper, ADMIN_SECRET: adminSecret, EDGE_SIGNING_KEY: edge.signingKey }
}

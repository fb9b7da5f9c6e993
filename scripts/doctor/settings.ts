import type { Config } from "../../src/env.ts"
import { SECRET_SETTINGS, Settings } from "../../src/settings.ts"
import type { Finding } from "./finding.ts"

type Given = Readonly<Record<string, string | undefined>>

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
    const isMissing = Object.hasOwn(Settings.shape, name) && !given[name]
    return { about: name, result: "fail", detail: isMissing ? "is missing" : what }
  })
}

/** Finds settings that work on one machine but not in a deployment to Cloudflare. */
export function forProduction({ given, config, vars }: { given: Given; config: Config; vars: Given }): Finding[] {
  return [
    ...forPublic({ given, config }),
    ...database(config),
    ...secrets(config, given, vars),
    ...Object.keys(vars)
      .filter((name) => !Object.hasOwn(Settings.shape, name))
      .map((name): Finding => ({ about: name, result: "warn", detail: "is in wrangler.toml but is not a setting" })),
  ]
}

/** Finds settings with which a public service lacks a feature or some safety, wherever it runs. */
export function forPublic({ given, config }: { given: Given; config: Config }): Finding[] {
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

function database({ libsql }: Config): Finding[] {
  const database = new URL(libsql.url)
  return [
    LOCAL_HOST.test(database.hostname)
      ? fail("LIBSQL_URL", "is an address of this machine or network: a Worker at Cloudflare cannot reach it")
      : database.protocol === "http:"
        ? fail("LIBSQL_URL", "is plain http: stored data would cross the network unencrypted")
        : ok("LIBSQL_URL", "an encrypted connection"),
  ]
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

const finding = (result: Finding["result"]) => (about: string, detail: string) => ({ about, result, detail }) as Finding
const ok = finding("ok")
const warn = finding("warn")
const fail = finding("fail")

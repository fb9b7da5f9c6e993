import type { Config } from "../../src/env.ts"
import { Settings } from "../../src/settings.ts"
import type { Finding } from "./finding.ts"

type Given = Readonly<Record<string, string | undefined>>

/** What a Worker keeps as secrets, and never as variables that everybody who reads wrangler.toml sees. */
const SECRETS = new Set([
  ...["LIBSQL_AUTH_TOKEN", "KEY_PEPPER", "KEY_PEPPER_PREVIOUS", "ADMIN_SECRET", "EDGE_SIGNING_KEY"],
  ...["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "MAIL_API_KEY", "HIBP_API_KEY", "GOOGLE_SERVICE_ACCOUNT"],
  ...["MS_CLIENT_SECRET", "OTEL_EXPORTER_OTLP_HEADERS"],
])

/** Settings that do nothing one without the other. */
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

/** What works on one machine and not in production. */
export function forProduction({ given, config, vars }: { given: Given; config: Config; vars: Given }): Finding[] {
  return [
    ...addresses(config),
    ...secrets(config, given, vars),
    ...TOGETHER.flatMap((names) => halves(names, given)),
    ...Object.keys(vars)
      .filter((name) => !Object.hasOwn(Settings.shape, name))
      .map((name): Finding => ({ about: name, result: "warn", detail: "stands in wrangler.toml and is no setting" })),
    ...looseEnds(config),
  ]
}

function addresses({ baseUrl, libsql, dohUrls }: Config): Finding[] {
  const base = new URL(baseUrl)
  const database = new URL(libsql.url)
  return [
    base.protocol !== "https:" || LOCAL_HOST.test(base.hostname)
      ? fail("BASE_URL", "is not a public https URL: links in mails and webhook rules stand on it")
      : ok("BASE_URL", "a public https URL"),
    LOCAL_HOST.test(database.hostname)
      ? fail("LIBSQL_URL", "is an address of this machine or network, which a Worker at Cloudflare cannot reach")
      : database.protocol === "http:"
        ? fail("LIBSQL_URL", "is plain http: everything stored would cross the network in clear")
        : ok("LIBSQL_URL", "an encrypted connection"),
    dohUrls.length < 2
      ? warn("DOH_URL", "names one resolver: nobody agrees with it before a domain is said not to exist")
      : ok("DOH_URL", `${dohUrls.length} resolvers`),
  ]
}

function secrets({ libsql, adminSecret }: Config, given: Given, vars: Given): Finding[] {
  const shown = Object.keys(vars).filter((name) => SECRETS.has(name))
  return [
    ...shown.map((name) =>
      fail(name, "is a secret and stands in wrangler.toml: wrangler secret put it, and change it"),
    ),
    libsql.authToken ? ok("LIBSQL_AUTH_TOKEN", "set") : fail("LIBSQL_AUTH_TOKEN", "is missing: the database is open"),
    !adminSecret
      ? warn("ADMIN_SECRET", "is missing: nobody can be the operator")
      : adminSecret === given.KEY_PEPPER
        ? fail("ADMIN_SECRET", "is the same as KEY_PEPPER: who knows one knows both")
        : ok("ADMIN_SECRET", "set"),
    ok("KEY_PEPPER", given.KEY_PEPPER_PREVIOUS ? "set, and the one before it" : "set"),
    ok("EDGE_SIGNING_KEY", "a key that can sign"),
  ]
}

function halves(names: readonly string[], given: Given): Finding[] {
  const missing = names.filter((name) => !given[name])
  if (missing.length === 0) return [ok(names[0]!, "set, with what belongs to it")]
  return missing.length === names.length ? [] : missing.map((name) => fail(name, `is missing beside ${names[0]}`))
}

function looseEnds({ mail, clientIpHeader, webhookRules, listSources }: Config): Finding[] {
  const found: Finding[] = []
  if (!mail) found.push(warn("MAIL_API_URL", "is not set: nobody can sign in by link"))
  if (clientIpHeader === "") found.push(warn("CLIENT_IP_HEADER", "is empty: all callers without a key are one"))
  if (webhookRules.allowHttp) found.push(warn("WEBHOOK_ALLOW_HTTP", "is on: webhooks may cross the network in clear"))
  if (listSources.length === 0)
    found.push(warn("LIST_SOURCES", "is not set: lists of disposable domains age with the release"))
  return found
}

const finding = (result: Finding["result"]) => (about: string, detail: string) => ({ about, result, detail }) as Finding
const ok = finding("ok")
const warn = finding("warn")
const fail = finding("fail")

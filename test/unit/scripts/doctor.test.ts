import { describe, expect, test } from "vitest"
import { generateKeyPair } from "../../../schema/wire/keys.ts"
import { forProduction, malformed } from "../../../scripts/doctor/settings.ts"
import { readConfig } from "../../../src/env.ts"

const GOOD = {
  LIBSQL_URL: "libsql://verdicts.example.com",
  LIBSQL_AUTH_TOKEN: "token",
  KEY_PEPPER: "k".repeat(40),
  ADMIN_SECRET: "a".repeat(40),
  EDGE_SIGNING_KEY: (await generateKeyPair("edge-1")).signingKey,
  BASE_URL: "https://api.example.com",
  MAIL_API_URL: "https://api.example.net/mails",
  MAIL_FROM: "sign-in@example.com",
  LIST_SOURCES: '[{"name":"one","class":"disposable","url":"https://example.org/domains.txt","first_hand":true}]',
}

/** Maps the name of a setting to "result: detail". */
async function found(changes: Record<string, string | undefined>, vars: Record<string, string> = {}) {
  const all = { ...vars, ...GOOD, ...changes }
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
  const read = await readConfig(given)
  const findings = read.ok ? forProduction({ given, config: read.config, vars }) : malformed(read.problems, given)
  return new Map(findings.map(({ about, result, detail }) => [about, `${result}: ${detail}`]))
}

describe("findings about settings", () => {
  test("valid settings give no warning and no failure", async () => {
    expect([...(await found({})).values()].filter((text) => !text.startsWith("ok"))).toEqual([])
  })

  test.each<[string, Record<string, string | undefined>, string]>([
    ["BASE_URL", { BASE_URL: "http://localhost:8787" }, "fail: is not a public https URL"],
    ["BASE_URL", { BASE_URL: "https://10.0.0.1" }, "fail: is not a public https URL"],
    ["LIBSQL_URL", { LIBSQL_URL: "http://127.0.0.1:8080" }, "fail: is an address of this machine"],
    ["LIBSQL_URL", { LIBSQL_URL: "http://db.example.com" }, "fail: is plain http"],
    ["LIBSQL_URL", { LIBSQL_URL: undefined }, "fail: is missing"],
    ["LIBSQL_URL", { LIBSQL_URL: "postgres://db" }, "fail: "],
    ["LIBSQL_AUTH_TOKEN", { LIBSQL_AUTH_TOKEN: undefined }, "fail: is missing: the database is open"],
    ["DOH_URL", { DOH_URL: "https://dns.example.com/dns-query" }, "warn: names one resolver"],
    ["KEY_PEPPER", { KEY_PEPPER: "short" }, "fail: needs at least 32 characters"],
    ["ADMIN_SECRET", { ADMIN_SECRET: undefined }, "warn: is missing"],
    ["ADMIN_SECRET", { ADMIN_SECRET: GOOD.KEY_PEPPER }, "fail: is the same as KEY_PEPPER"],
    ["EDGE_SIGNING_KEY", { EDGE_SIGNING_KEY: "edge-1" }, "fail: must have the form <key id>:<43 base64url characters>"],
    ["STRIPE_WEBHOOK_SECRET", { STRIPE_SECRET_KEY: "sk_test" }, "fail: is missing: STRIPE_SECRET_KEY needs it"],
    ["MS_CLIENT_ID", { MS_TENANT_ID: "t", MS_CLIENT_SECRET: "s" }, "fail: is missing: MS_TENANT_ID needs it"],
    ["MAIL_API_URL", { MAIL_API_URL: undefined, MAIL_FROM: undefined }, "warn: is not set: sign-in by link is off"],
    ["CLIENT_IP_HEADER", { CLIENT_IP_HEADER: "" }, "warn: is empty"],
    ["WEBHOOK_ALLOW_HTTP", { WEBHOOK_ALLOW_HTTP: "1" }, "warn: is on"],
    ["LIST_SOURCES", { LIST_SOURCES: undefined }, "warn: is not set"],
    ["LIST_SOURCES", { LIST_SOURCES: GOOD.LIST_SOURCES.replace(/,"first_hand":true/, "") }, "warn: has no first_hand"],
  ])("%s of %o", async (about, changes, expected) => {
    expect((await found(changes)).get(about)).toMatch(expected)
  })

  test("reports a secret in wrangler.toml and a name that is not a setting", async () => {
    const about = await found({}, { MAIL_API_KEY: "re_1", BASEURL: "x" })
    expect(about.get("MAIL_API_KEY")).toMatch("fail: is a secret in wrangler.toml")
    expect(about.get("BASEURL")).toBe("warn: is in wrangler.toml but is not a setting")
  })
})

import { createHash } from "node:crypto"
import { beforeEach, describe, expect, inject, test } from "vitest"
import type { QueryRecord, SandboxLog } from "../../scripts/sandbox/server-state.ts"
import { call } from "../support/stack/api.ts"
import { untilFactsStored } from "../support/stack/stored.ts"

type Full = Record<string, unknown>

const at = (email: string, more: string) => `email=${encodeURIComponent(email)}${more}`
const validate = async (email: string, more = "") =>
  (await call<{ checks: Full }>("GET", "/validate", { at: `/validate?${at(email, more)}` })).body.checks
const words = async (email: string, more = "") =>
  (
    await call<{ checks: Record<string, string> }>("GET", "/validate/checks", {
      at: `/validate/checks?${at(email, more)}&view=normalized`,
    })
  ).body.checks

/** Other suites use the same stack at the same time, but not these domains. */
let callsBefore = 0
let startedAt = ""
const allCalls = async () => (await (await fetch(`${inject("outsideUrl")}/calls`)).json()) as string[]
const calls = async (about: string) => (await allCalls()).slice(callsBefore).filter((url) => url.includes(about))
const gravatarCalls = (email: string) => calls(`/avatar/${createHash("sha256").update(email).digest("hex")}`)
const queries = async (via: QueryRecord["via"], about: string) => {
  const log = await fetch(new URL("/sandbox/log", inject("sandbox").dohUrl))
  const { queries } = (await log.json()) as SandboxLog
  return queries.filter((query) => query.at >= startedAt && query.via === via && query.name.endsWith(about))
}
/** The node's blocklist queries about the mail host of counted.test. */
const rblQueries = async () => (await queries("udp", "rbl.test")).filter(({ name }) => name.startsWith("46.0.42.127."))

async function startCounting(): Promise<void> {
  callsBefore = (await allCalls()).length
  startedAt = new Date().toISOString()
}
beforeEach(startCounting)

const OFF = "&rbl=false&gravatar=false&web_presence=false&domain_age=false"

describe("a domain with every fact", () => {
  test("disabled checks make no call, and only these checks run when they are enabled later", async () => {
    const bare = await validate("erin@counted.test", OFF)
    expect(bare).toMatchObject({
      status: "valid",
      spf_valid: true,
      dkim_present: true,
      rbl_lists_checked: 0,
      domain_age_days: null,
    })
    expect(await calls("counted.test")).toEqual(["https://mta-sts.counted.test/.well-known/mta-sts.txt"])
    expect(await gravatarCalls("erin@counted.test")).toEqual([])
    expect(await rblQueries()).toEqual([])
    expect(await words("erin@counted.test", OFF)).toMatchObject({
      rbl: "skipped",
      web_presence: "skipped",
      domain_age: "skipped",
      gravatar: "skipped",
    })

    const aged = await validate("erin@counted.test", OFF.replace("&domain_age=false", ""))
    expect(aged).toMatchObject({ cached: true, domain_age_days: expect.any(Number) })
    expect(await calls("/counted.test")).toEqual(["/rdap/domain/counted.test"])
    expect(await rblQueries()).toEqual([])
  })

  test("with all checks enabled, the answer contains every fact", async () => {
    const checks = await validate("alice@counted.test")
    expect(checks).toMatchObject({ status: "valid", rbl_listed: false, rbl_lists_checked: 1, rbl_lists_matched: [] })
    expect(checks.domain_age_days).toBe(Math.floor((Date.now() - Date.parse("2019-05-01T12:00:00Z")) / 86_400_000))
    expect(await words("alice@counted.test")).toMatchObject({
      spf: "valid",
      spf_all: "fail",
      dkim: "present",
      dmarc: "present",
      dmarc_policy: "quarantine",
      mta_sts: "enforce",
      bimi: "present",
      rbl: "clear",
      web_presence: "live",
      https: "yes",
      parked: "no",
      domain_age: "established",
      gravatar: "present",
      mx_hosts: "alive",
      mx_alias: "no",
    })
  })

  test("another address of the domain makes no call about the domain", async () => {
    await validate("alice@counted.test")
    await untilFactsStored("counted.test", ["route", "mtaSts", "registration", "web", "rbl"])
    await startCounting()
    const checks = await validate("bob@counted.test")
    expect(checks).toMatchObject({ cached: false, status: "valid", rbl_lists_checked: 1 })
    expect(checks.domain_age_days).toBeGreaterThan(2_000)
    expect(await queries("doh", "counted.test")).toEqual([])
    expect(await rblQueries()).toEqual([])
    expect(await calls("counted.test")).toEqual([])
    expect(await gravatarCalls("bob@counted.test")).toHaveLength(1)
  })

  test("each option disables its own check only", async () => {
    await validate("carol@sub.counted.test", "&domain_age=false&rbl=false")
    expect(await calls("/rdap/domain/counted.test")).toEqual([])
    await validate("dave@counted.test", "&gravatar=false")
    expect(await gravatarCalls("dave@counted.test")).toEqual([])
    await validate("judy@counted.test", "&web_presence=false")
    expect(await gravatarCalls("judy@counted.test")).toHaveLength(1)
    await validate("carol@web-facts.test", "&web_presence=false")
    expect(await calls("://web-facts.test")).toEqual([])
    expect(await calls("/rdap/domain/web-facts.test")).toHaveLength(1)
  })

  test("the organizational domain's DMARC policy applies to a subdomain", async () => {
    expect(await words("alice@sub.counted.test")).toMatchObject({ dmarc: "present", dmarc_policy: "reject" })
  })
})

test("HTTP follows a failed HTTPS request, and a redirect to a private address is not followed", async () => {
  expect(await words("alice@web-facts.test")).toMatchObject({ web_presence: "none", domain_age: "unknown" })
  // The runtime repeats a request whose connection was cut.
  const pages = new Set(await calls("://web-facts.test"))
  expect([...pages]).toEqual(["https://web-facts.test/", "http://web-facts.test/"])
})

test("a listed mail host costs points; a dead blocklist and one that refuses are not counted", async () => {
  const checks = await validate("alice@listed.test")
  expect(checks).toMatchObject({ rbl_listed: true, rbl_lists_checked: 1, rbl_lists_matched: ["rbl.test"] })
  expect((checks.score_breakdown as Full).rbl_penalty).toBeLessThan(0)
  const off = await validate("alice@listed.test", "&rbl=false")
  expect(off).toMatchObject({ rbl_listed: false, rbl_lists_checked: 0, cached: true })
  expect((off.score_breakdown as Full).rbl_penalty).toBe(0)
})

test("a parked domain and an MX alias are reported", async () => {
  expect(await words("alice@parked.test")).toMatchObject({ parked: "yes", web_presence: "live" })
  expect(await words("alice@mx-alias.test")).toMatchObject({ mx_alias: "yes" })
  expect(await words("alice@mx-unresolvable.test")).toMatchObject({ mx_hosts: "dead" })
  expect(await words("alice@null-mx.test")).toMatchObject({ mx_hosts: "none", mx_alias: "unknown" })
  expect(await words("alice@servfail.test")).toMatchObject({ mx_hosts: "unknown", mx_alias: "unknown" })
})

test("a slow registry does not delay the answer, and its fact is in a later answer", async () => {
  // The registry answers only after the release.
  expect(await validate("alice@slow-facts.test")).toMatchObject({ status: "valid", domain_age_days: null })
  await fetch(`${inject("outsideUrl")}/release`, { method: "PUT" })
  await expect.poll(async () => (await validate("bob@slow-facts.test")).domain_age_days).toBeGreaterThan(2_000)
  expect((await calls("/slow-facts.test")).length).toBeLessThanOrEqual(2)
})

test("a DNS failure is unknown, not invalid", async () => {
  expect(await validate("alice@servfail.test")).toMatchObject({ status: "unknown", mx_valid: false, spf_valid: false })
  expect(await words("alice@servfail.test")).toMatchObject({ spf: "unknown", dkim: "unknown", dmarc: "unknown" })
})

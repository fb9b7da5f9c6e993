import { describe, expect, test } from "vitest"
import type { Clock } from "../../../src/adapters/platform.ts"
import type { AnswerWrite } from "../../../src/adapters/store/verification/answer-writes.ts"
import { createFailedFacts } from "../../../src/adapters/verification/result-cache.ts"
import type { Context } from "../../../src/context.ts"
import type { FactName, StoredFacts } from "../../../src/domain/verification/evidence.ts"
import { ALL_CHECKS, wantedFacts } from "../../../src/domain/verification/plan.ts"
import { gatherFacts } from "../../../src/services/verification/facts.ts"

import { testContext } from "../../support/deps/context.ts"
import { dnsZone, type Zone } from "../../support/mail/dns-zone.ts"

const D = "example.com"
const NOW = Date.parse("2026-11-21T00:00:00Z")
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const ZONE: Zone = {
  [D]: { MX: [{ host: "mx.example.com", preference: 10 }], TXT: ["v=spf1 mx -all"], A: ["93.184.216.34"] },
  "mx.example.com": { A: ["93.184.216.35"] },
  "_dmarc.example.com": { TXT: ["v=DMARC1; p=none"] },
  "k1._domainkey.example.com": { TXT: ["v=DKIM1; p=MIGf"] },
}

/** The dependencies of a gathering, with a manual clock and a record of every call. */
function outside({ zone = ZONE, rdap }: { zone?: Zone; rdap?: Promise<number> } = {}) {
  const calls: string[] = []
  const saved: StoredFacts[] = []
  const late: Promise<unknown>[] = []
  let now = NOW
  const sleepers: (() => void)[] = []
  const clock: Clock = { now: () => now, sleep: () => new Promise((resolve) => sleepers.push(resolve)) }
  const dns = dnsZone(zone)
  const ctx: Context = testContext({
    clock,
    dns,
    log: () => undefined,
    background: (work) => void late.push(work),
    rdap: {
      async registration(domain) {
        calls.push(`rdap ${domain}`)
        return { kind: "registered", at: (await rdap) ?? 0 }
      },
    },
    rbl: {
      async query({ ips }) {
        calls.push(`rbl ${ips}`)
        const answers = ips.map((ip) => ({ ip, records: [] }))
        return {
          requestId: "",
          zones: [{ zone: "rbl.test", listedTestPoint: ["127.0.0.2"], cleanTestPoint: [], answers }],
        }
      },
    },
    web: {
      async get(url) {
        calls.push(`web ${url}`)
        return { kind: "answer", status: 200, url: new URL(url), contentType: "text/html", text: "" }
      },
    },
    digests: { candidates: async (_: string, text: string) => [text] },
    writeBehind: {
      async add({ facts }: AnswerWrite) {
        if (facts) saved.push(facts.found)
        return "stored"
      },
    },
  })
  return {
    ctx,
    calls,
    saved,
    late,
    dns,
    pass: (ms: number) => {
      now += ms
    },
    wake: () => {
      for (const wake of sleepers.splice(0)) wake()
    },
  }
}

const everything = wantedFacts(ALL_CHECKS)
const merged = (saved: readonly StoredFacts[]): StoredFacts => Object.assign({}, ...saved)

test("all facts are found in parallel and stored in one write", async () => {
  const { ctx, calls, saved, late } = outside()
  const facts = await gatherFacts(ctx, { domain: D, stored: null, wanted: everything }).within(2_500)
  expect(facts).toMatchObject({
    route: { kind: "mx" },
    exchangers: [{ host: "mx.example.com", addresses: ["93.184.216.35"], isAlias: false }],
    spf: { kind: "valid" },
    dkim: { present: true, selectors: ["k1"], shownBy: "key" },
    dmarc: { kind: "record", policy: "none" },
    mtaSts: { kind: "none" },
    bimi: { kind: "none" },
    registration: { kind: "registered" },
    web: { site: "live", https: true, parkedAt: null },
    rbl: { checked: ["rbl.test"], matched: [] },
  })
  expect(calls.toSorted()).toEqual(["rbl 93.184.216.35", "rdap example.com", "web https://example.com/"])
  await Promise.all(late)
  expect(saved).toHaveLength(1)
  expect(Object.keys(saved[0]!).toSorted()).toEqual([...everything].toSorted())
})

test("cached facts are not queried again, and each has its own lifetime", async () => {
  const first = outside()
  await gatherFacts(first.ctx, { domain: D, stored: null, wanted: everything }).within(2_500)
  await Promise.all(first.late)
  const stored = merged(first.saved)

  const askedAfter = async (ms: number) => {
    const { ctx, calls, dns, pass } = outside()
    pass(ms)
    await gatherFacts(ctx, { domain: D, stored, wanted: everything }).within(2_500)
    return [...calls.map((call) => call.split(" ")[0]!), ...dns.calls]
  }
  expect(await askedAfter(59 * MINUTE)).toEqual([])
  const afterAnHour = await askedAfter(61 * MINUTE)
  expect(afterAnHour).toContain("MX example.com")
  expect(afterAnHour.filter((call) => /dmarc|domainkey|rdap|web|rbl|bimi|mta-sts/.test(call))).toEqual([])
  expect(await askedAfter(7 * HOUR)).toContain("rbl")
  expect(await askedAfter(25 * HOUR)).toContain("TXT _dmarc.example.com")
  expect(await askedAfter(25 * HOUR)).not.toContain("web")
  expect(await askedAfter(8 * 24 * HOUR)).toContain("web")
  expect(await askedAfter(8 * 24 * HOUR)).not.toContain("rdap")
  expect(await askedAfter(31 * 24 * HOUR)).toContain("rdap")
})

test("a disabled check makes no call", async () => {
  const off = { rbl: false, gravatar: false, webPresence: false, domainAge: false }
  const { ctx, calls } = outside()
  const facts = await gatherFacts(ctx, { domain: D, stored: null, wanted: wantedFacts(off) }).within(2_500)
  expect(calls).toEqual([])
  expect(Object.keys(facts)).not.toContain("rbl")
  expect(Object.keys(facts)).not.toContain("web")
})

describe("a failure", () => {
  test("is null, never a negative fact, and never stored", async () => {
    const { ctx, saved, late } = outside({ zone: { [D]: "servfail", [`_dmarc.${D}`]: "timeout" } })
    const facts = await gatherFacts(ctx, { domain: D, stored: null, wanted: everything }).within(2_500)
    expect(facts).toMatchObject({ route: { kind: "dns_failure" }, spf: null, dmarc: null })
    await Promise.all(late)
    expect(Object.values(merged(saved)).filter(({ value }) => value === null)).toEqual([])
    expect(merged(saved).route).toBeUndefined()
  })

  test("is not repeated for a minute in the same isolate", async () => {
    const { ctx, calls, pass } = outside({ rdap: Promise.reject(new Error("bug")) })
    const failedFacts = createFailedFacts(ctx.clock.now)
    const lookups = async () => {
      await gatherFacts({ ...ctx, failedFacts }, { domain: D, stored: null, wanted: everything }).within(2_500)
      return calls.filter((call) => call.startsWith("rdap")).length
    }
    expect([await lookups(), await lookups()]).toEqual([1, 1])
    pass(MINUTE)
    expect(await lookups()).toBe(2)
  })

  test("of one check does not affect the other facts", async () => {
    const { ctx } = outside()
    const broken = { ...ctx, rdap: { isConfigured: true, registration: () => Promise.reject(new Error("bug")) } }
    const facts = await gatherFacts(broken, { domain: D, stored: null, wanted: everything }).within(2_500)
    expect(facts).toMatchObject({ registration: null, spf: { kind: "valid" } })
  })
})

test("a slow fact does not delay the answer or the others, and is stored when it arrives", async () => {
  const { promise, resolve } = Promise.withResolvers<number>()
  const { ctx, saved, late, wake } = outside({ rdap: promise })
  const gathering = gatherFacts(ctx, { domain: D, stored: null, wanted: everything })
  const answered = gathering.within(2_500)
  const isFound = (name: FactName) => (gathering.soFar()?.[name] ?? null) !== null
  await expect.poll(() => [...everything].filter((name) => !isFound(name))).toEqual(["registration"])
  wake()
  const facts = await answered
  expect(facts.registration).toBeNull()
  expect(facts.spf).toMatchObject({ kind: "valid" })
  expect(merged(saved).registration).toBeUndefined()
  expect(merged(saved).rbl).toBeDefined()
  resolve(5)
  await Promise.all(late)
  expect(merged(saved).registration).toMatchObject({ value: { kind: "registered", at: 5 } })
  expect(saved).toHaveLength(2)
})

test("the route is known before slow facts", async () => {
  const { ctx } = outside({ rdap: new Promise(() => undefined) })
  const gathering = gatherFacts(ctx, {
    domain: D,
    stored: null,
    wanted: new Set<FactName>(["route", "registration"]),
  })
  expect(gathering.soFar()).toBeNull()
  expect(await gathering.route).toMatchObject({ kind: "mx" })
  expect(gathering.soFar()).toMatchObject({ route: { kind: "mx" } })
})

test("an absent domain is not queried at other services", async () => {
  const { ctx, calls } = outside({ zone: {} })
  const facts = await gatherFacts(ctx, { domain: D, stored: null, wanted: everything }).within(2_500)
  expect(facts).toMatchObject({
    route: { kind: "no_such_domain" },
    registration: { kind: "unknown" },
    web: { site: "none" },
  })
  expect(calls).toEqual([])
})

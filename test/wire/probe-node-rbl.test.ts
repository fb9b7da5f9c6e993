import { afterAll, beforeAll, expect, test } from "vitest"
import { createRblLookups } from "../../probe-node/rbl.ts"
import { parseSandbox } from "../../schema/wire/addresses.ts"
import { RblAnswer, type RblRequest } from "../../schema/wire/rbl.ts"
import { type DnsServer, Resolver, startDnsServer, Upstream } from "../../scripts/sandbox/resolver.ts"
import { Journal } from "../../scripts/sandbox/server-state.ts"

const LISTED = "127.42.0.44"
const CLEAN = "127.42.0.10"
const HOUR = 3_600_000
const journal = new Journal()
let dns: DnsServer

beforeAll(async () => {
  dns = await startDnsServer(0, new Resolver({ journal, upstream: new Upstream([]) }))
})
afterAll(() => dns.stop())

function lookups(zones: { name: string; zone: string }[] = []) {
  let now = 0
  const policy = { allowPrivate: false, sandbox: parseSandbox("127.42.0.0/16:2525"), smtpPort: 25 }
  const { lookUpAll } = createRblLookups({ dns: `127.0.0.1:${dns.port}`, zones, policy, now: () => now })
  const request: RblRequest = { requestId: "r", deadlineMs: 60_000, ips: [LISTED, CLEAN], zones: ["rbl.test"] }
  return {
    lookUpAll: (change: Partial<RblRequest> = {}) => lookUpAll({ ...request, ...change }),
    pass: (ms: number) => {
      now += ms
    },
    async queries(work: () => Promise<unknown>) {
      journal.clear()
      await work()
      return journal
        .read()
        .queries.map(({ name }) => name)
        .toSorted()
    },
  }
}

test("reports raw answers, with those for the test points", async () => {
  const answer = await lookups().lookUpAll({ zones: ["rbl.test", "dead-rbl.test", "refusing-rbl.test"] })
  expect(RblAnswer.parse(answer)).toEqual(answer)
  expect(answer.zones).toEqual([
    {
      zone: "rbl.test",
      listedTestPoint: ["127.0.0.2"],
      cleanTestPoint: [],
      answers: [
        { ip: LISTED, records: ["127.0.0.2"] },
        { ip: CLEAN, records: [] },
      ],
    },
    expect.objectContaining({ zone: "dead-rbl.test", cleanTestPoint: ["127.0.0.2"] }),
    expect.objectContaining({ zone: "refusing-rbl.test", listedTestPoint: ["127.255.255.254"] }),
  ])
})

test("caches an answer for an hour, a test point for a day, a failure for a minute", async () => {
  const { lookUpAll, pass, queries } = lookups()
  expect(await queries(() => lookUpAll())).toHaveLength(4)
  expect(await queries(() => lookUpAll())).toEqual([])
  pass(HOUR + 1)
  expect(await queries(() => lookUpAll())).toEqual(["10.0.42.127.rbl.test", "44.0.42.127.rbl.test"])
  pass(24 * HOUR)
  expect(await queries(() => lookUpAll())).toHaveLength(4)
  const failing = { zones: ["rbl.servfail.test"] }
  expect((await lookUpAll(failing)).zones[0]).toMatchObject({ listedTestPoint: null, cleanTestPoint: null })
  expect(await queries(() => lookUpAll(failing))).toEqual([])
  pass(60_001)
  expect((await queries(() => lookUpAll(failing))).length).toBeGreaterThan(0)
})

test("queries the node's own lists instead, and does not reveal the account's key", async () => {
  const own = lookups([{ name: "zen.example.org", zone: "rbl.test" }])
  const queried = await own.queries(async () => {
    const answer = await own.lookUpAll({ zones: ["other.test"] })
    expect(answer.zones).toMatchObject([{ zone: "zen.example.org", listedTestPoint: ["127.0.0.2"] }])
    expect(JSON.stringify(answer)).not.toContain('"rbl.test"')
  })
  expect(queried.every((name) => name.endsWith(".rbl.test"))).toBe(true)
})

test("does not look up private addresses", async () => {
  const { lookUpAll, queries } = lookups()
  const queried = await queries(async () => {
    expect((await lookUpAll({ ips: ["10.1.2.3", "192.168.0.1", "127.0.0.9"] })).zones[0]?.answers).toEqual([])
  })
  expect(queried).toEqual(["1.0.0.127.rbl.test", "2.0.0.127.rbl.test"])
})

test("reports a list without an answer by the deadline as failed", async () => {
  const { lookUpAll } = lookups()
  // Stored, so that these answers come before any deadline.
  await lookUpAll({ zones: ["rbl.test"] })
  const answer = await lookUpAll({ zones: ["rbl.test", "rbl.dns-timeout.test"], deadlineMs: 300 })
  expect(answer.zones).toMatchObject([
    { zone: "rbl.test", listedTestPoint: ["127.0.0.2"] },
    { zone: "rbl.dns-timeout.test", listedTestPoint: null, answers: [{ records: null }, { records: null }] },
  ])
})

import packet from "dns-packet"
import { afterEach, expect, test, vi } from "vitest"
import { createDnsMemory } from "../../../src/adapters/dns/memory.ts"
import { createDns } from "../../../src/adapters/dns/resolver.ts"
import {
  type DnsZone,
  dnsZone,
  messageResponse,
  NEGATIVE_TTL,
  responseTo,
  ZONE_TTL,
  type Zone,
} from "../../support/mail/dns-zone.ts"

const FIRST = "https://first.test/dns-query"
const SECOND = "https://second.test/dns-query"
const MX = [{ host: "mx.example.test", preference: 10 }]

afterEach(() => void vi.useRealTimers())

type Resolver = Pick<DnsZone, "fetch">

/** A client with the given resolvers and a clock that the test moves. */
function client(resolvers: { [url: string]: Resolver }, memory = createDnsMemory()) {
  const clock = { ms: 1_000_000 }
  const fetched: string[] = []
  const dns = createDns({
    urls: Object.keys(resolvers),
    fetch: (url, init) => {
      fetched.push(url)
      return resolvers[url]!.fetch(url, init)
    },
    now: () => clock.ms,
    memory,
    tryMs: 40,
    lookupMs: 100,
  })
  return { dns, clock, fetched, memory }
}

const broken = (answer: () => Response | Promise<Response>): Resolver => ({ fetch: async () => answer() })
const DEAD = broken(() => Promise.reject(new TypeError("connection refused")))
const EMPTY: Zone = { "other.test": { A: ["192.0.2.1"] } }

test("returns records of the first resolver alone", async () => {
  const { dns, fetched } = client({ [FIRST]: dnsZone({ "example.test": { MX } }), [SECOND]: dnsZone(EMPTY) })
  expect(await dns.resolve("Example.TEST.", "MX")).toEqual({ kind: "records", records: MX, ttlSeconds: ZONE_TTL })
  expect(fetched).toEqual([FIRST])
})

test("accepts a negative for MX, A and AAAA only when two resolvers agree", async () => {
  for (const type of ["MX", "A", "AAAA"] as const) {
    const { dns, fetched } = client({ [FIRST]: dnsZone(EMPTY), [SECOND]: dnsZone(EMPTY) })
    expect(await dns.resolve("gone.test", type)).toEqual({ kind: "no_such_domain", ttlSeconds: NEGATIVE_TTL })
    expect(fetched).toEqual([FIRST, SECOND])
  }
})

test("accepts one resolver's denial of a TXT record", async () => {
  const { dns, fetched } = client({ [FIRST]: dnsZone(EMPTY), [SECOND]: dnsZone(EMPTY) })
  expect(await dns.resolve("gone.test", "TXT")).toMatchObject({ kind: "no_such_domain" })
  expect(fetched).toEqual([FIRST])
})

test("accepts the denial of the only resolver, even listed twice", async () => {
  const zone = dnsZone(EMPTY)
  const dns = createDns({ urls: [FIRST, FIRST], fetch: zone.fetch, now: () => 0, memory: createDnsMemory() })
  expect(await dns.resolve("gone.test", "MX")).toMatchObject({ kind: "no_such_domain" })
  expect(zone.calls).toEqual(["MX gone.test"])
})

test("when resolvers differ about the name, they agree on a missing record", async () => {
  const { dns } = client({ [FIRST]: dnsZone(EMPTY), [SECOND]: dnsZone({ "half.test": { A: ["192.0.2.1"] } }) })
  expect(await dns.resolve("half.test", "MX")).toMatchObject({ kind: "no_data" })
})

test("never returns a negative on the denial of one resolver", async () => {
  const lying = client({ [FIRST]: dnsZone(EMPTY), [SECOND]: dnsZone({ "example.test": { MX } }) })
  expect(await lying.dns.resolve("example.test", "MX")).toMatchObject({ kind: "failure", reason: "disagreement" })
  const alone = client({ [FIRST]: dnsZone(EMPTY), [SECOND]: DEAD })
  expect(await alone.dns.resolve("example.test", "MX")).toMatchObject({ kind: "failure", reason: "unconfirmed" })
  const servfail = client({ [FIRST]: dnsZone({ "example.test": "servfail" }), [SECOND]: dnsZone(EMPTY) })
  expect(await servfail.dns.resolve("example.test", "MX")).toMatchObject({ kind: "failure", reason: "unconfirmed" })
})

test("uses the third resolver for a second vote", async () => {
  const { dns } = client({ [FIRST]: DEAD, [SECOND]: dnsZone(EMPTY), "https://third.test/": dnsZone(EMPTY) })
  expect(await dns.resolve("gone.test", "MX")).toMatchObject({ kind: "no_such_domain" })
})

const FAILING: readonly [string, Resolver, string][] = [
  ["refused connection", DEAD, "unreachable"],
  ["HTTP 500", broken(() => new Response("", { status: 500 })), "http_status"],
  ["redirect", broken(() => Response.redirect("https://elsewhere.test/", 307)), "http_status"],
  ["wrong content type", broken(() => Response.json({ Status: 0 })), "content_type"],
  ["not DNS", broken(() => dnsBytes(new Uint8Array([1, 2, 3]))), "malformed"],
  ["empty body", broken(() => dnsBytes(new Uint8Array())), "malformed"],
  ["endless body", broken(() => dnsBytes(new Uint8Array(70_000))), "too_large"],
  ["hanging resolver", dnsZone({ "example.test": "timeout" }), "timeout"],
  ["SERVFAIL", dnsZone({ "example.test": "servfail" }), "servfail"],
  ["REFUSED", dnsZone({ "example.test": "refused" }), "refused"],
]

function dnsBytes(bytes: Uint8Array<ArrayBuffer>): Response {
  return new Response(bytes, { headers: { "content-type": "application/dns-message" } })
}

test.each(FAILING)("%s: fails over to the next resolver, and is a failure without one", async (_, resolver, reason) => {
  const both = client({ [FIRST]: resolver, [SECOND]: dnsZone({ "example.test": { MX } }) })
  expect(await both.dns.resolve("example.test", "MX")).toMatchObject({ kind: "records" })
  const alone = client({ [FIRST]: resolver })
  expect(await alone.dns.resolve("example.test", "MX")).toMatchObject({
    kind: "failure",
    reason,
    detail: expect.stringContaining("first.test"),
  })
})

test("limits the time of the whole lookup", async () => {
  const slow = broken(() => {
    clock.ms += 40
    return Promise.reject(new TypeError("connection refused"))
  })
  const resolvers = Object.fromEntries(["a", "b", "c", "d", "e", "f"].map((name) => [`https://${name}.test/`, slow]))
  const { dns, clock, fetched } = client(resolvers)
  expect(await dns.resolve("example.test", "MX")).toMatchObject({ kind: "failure" })
  expect(fetched).toHaveLength(3)
})

test("queries a failed resolver last, until its penalty ends", async () => {
  const { dns, clock, fetched } = client({
    [FIRST]: DEAD,
    [SECOND]: dnsZone({ "example.test": { A: ["192.0.2.1"], TXT: ["x"] } }),
  })
  await dns.resolve("example.test", "A")
  await dns.resolve("example.test", "TXT")
  expect(fetched).toEqual([FIRST, SECOND, SECOND])
  clock.ms += 3_600_000
  await dns.resolve("example.test", "A")
  expect(fetched.slice(3)).toEqual([FIRST, SECOND])
})

test("when all resolvers failed, queries the last one that answered first: a broken name fails them all", async () => {
  const { dns, fetched } = client({
    [FIRST]: DEAD,
    [SECOND]: dnsZone({ "example.test": { A: ["192.0.2.1"], TXT: ["x"] }, "hanging.test": "timeout" }),
  })
  await dns.resolve("example.test", "A")
  await dns.resolve("hanging.test", "MX")
  await dns.resolve("example.test", "TXT")
  expect(fetched).toEqual([FIRST, SECOND, SECOND, FIRST, SECOND])
})

test("waits only briefly for the vote of a broken resolver", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  const second = dnsZone({ "a.test": "timeout", "b.test": "timeout", "c.test": "timeout" })
  const { dns, clock } = client({ [FIRST]: dnsZone({}), [SECOND]: second })
  const isOverIn = async (ms: number, name: string) => {
    let isOver = false
    void dns.resolve(name, "MX").then(() => {
      isOver = true
    })
    while (!second.calls.includes(`MX ${name}`)) await new Promise(setImmediate)
    await vi.advanceTimersByTimeAsync(ms)
    return isOver
  }
  expect(await isOverIn(41, "a.test")).toBe(true)
  clock.ms += 5_000
  expect(await isOverIn(11, "b.test")).toBe(true)
  expect(await dns.resolve("other.test", "MX")).toMatchObject({ kind: "no_such_domain" })
  expect(await isOverIn(30, "c.test"), "the resolver answered other lookups").toBe(false)
})

test.each<[string, Zone[string]]>([
  ["SERVFAIL", "servfail"],
  ["MX that name no host", { MX: [{ host: "10 mx.example.test", preference: 0 }] }],
])("a broken domain, %s, causes no penalty for its resolver", async (_, broken) => {
  const whole = { "broken.test": { MX }, "example.test": { MX } }
  const { dns, fetched } = client({
    [FIRST]: dnsZone({ ...whole, "broken.test": broken }),
    [SECOND]: dnsZone(whole),
  })
  await dns.resolve("broken.test", "MX")
  await dns.resolve("example.test", "MX")
  expect(fetched).toEqual([FIRST, SECOND, FIRST])
})

test("reports the name servers' failure rather than the network's", async () => {
  const { dns } = client({ [FIRST]: DEAD, [SECOND]: dnsZone({ "broken.test": "servfail" }) })
  expect(await dns.resolve("broken.test", "MX")).toMatchObject({
    reason: "servfail",
    detail: expect.stringMatching(/first\.test: .*; second\.test: SERVFAIL/),
  })
})

test("caches an agreed negative for the shorter of both TTLs", async () => {
  const brief: Resolver = {
    async fetch(_, init) {
      const query = packet.decode(Buffer.from(await new Response(init?.body ?? null).arrayBuffer()))
      const answer = responseTo(EMPTY, query)
      return messageResponse({ ...answer, authorities: answer.authorities!.map((soa) => ({ ...soa, ttl: 5 })) })
    },
  }
  for (const resolvers of [
    { [FIRST]: brief, [SECOND]: dnsZone(EMPTY) },
    { [FIRST]: dnsZone(EMPTY), [SECOND]: brief },
  ])
    expect(await client(resolvers).dns.resolve("gone.test", "MX")).toEqual({ kind: "no_such_domain", ttlSeconds: 5 })
})

test("caches answers for their TTL and negatives for the SOA's, failures not at all", async () => {
  const zone = dnsZone({ "example.test": { MX }, "broken.test": "servfail" })
  const { dns, clock } = client({ [FIRST]: zone })
  const askAll = () => Promise.all(["example.test", "gone.test", "broken.test"].map((name) => dns.resolve(name, "MX")))
  await askAll()
  clock.ms += (NEGATIVE_TTL - 1) * 1000
  zone.calls.length = 0
  const [records, negative] = await askAll()
  expect(zone.calls).toEqual(["MX broken.test"])
  expect(records).toMatchObject({ ttlSeconds: ZONE_TTL - NEGATIVE_TTL + 1 })
  expect(negative).toMatchObject({ kind: "no_such_domain", ttlSeconds: 1 })
  clock.ms += 1000
  zone.calls.length = 0
  await askAll()
  expect(zone.calls.toSorted()).toEqual(["MX broken.test", "MX gone.test"])
  clock.ms += ZONE_TTL * 1000
  zone.calls.length = 0
  await askAll()
  expect(zone.calls).toHaveLength(3)
})

test("shares a pending lookup within a client, and finished answers between clients", async () => {
  const zone = dnsZone({ "example.test": { MX } })
  const { dns, memory } = client({ [FIRST]: zone })
  await Promise.all([dns.resolve("example.test", "MX"), dns.resolve("EXAMPLE.test", "MX")])
  expect(zone.calls).toEqual(["MX example.test"])
  await client({ [FIRST]: zone }, memory).dns.resolve("example.test", "MX")
  expect(zone.calls).toHaveLength(1)
  await client({ [SECOND]: zone }, memory).dns.resolve("example.test", "MX")
  expect(zone.calls, "other resolvers may have other answers").toHaveLength(2)
})

test("limits concurrent lookups, and time in the queue does not count", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  const zone = dnsZone({})
  const line: (() => void)[] = []
  const slow: Resolver = {
    async fetch(url, init) {
      await new Promise<void>((resolve) => line.push(resolve))
      return zone.fetch(url, init)
    },
  }
  const { dns } = client({ [FIRST]: slow })
  const lookups = Array.from({ length: 200 }, (_, i) => dns.resolve(`d${i}.test`, "MX"))
  for (let left = lookups.length; left > 0; left -= 36) {
    await vi.advanceTimersByTimeAsync(30)
    expect(line.length).toBeLessThanOrEqual(36)
    for (const leave of line.splice(0)) leave()
    await new Promise(setImmediate)
  }
  expect(new Set((await Promise.all(lookups)).map(({ kind }) => kind))).toEqual(new Set(["no_such_domain"]))
})

test.each([
  "",
  ".",
  "a..b",
  "münchen.test",
  "a b.test",
  "x\r\ny.test",
  `${"a".repeat(64)}.test`,
  `${"a.".repeat(127)}test`,
])("never sends %j", async (name) => {
  const { dns, fetched } = client({ [FIRST]: dnsZone(EMPTY) })
  expect(await dns.resolve(name, "MX")).toMatchObject({ kind: "failure", reason: "bad_name" })
  expect(fetched).toEqual([])
})

test("fetches only the configured URL, by POST and without following redirects", async () => {
  const seen: [string, RequestInit][] = []
  const zone = dnsZone(EMPTY)
  const fetch = (url: string, init: RequestInit) => {
    seen.push([url, init])
    return zone.fetch(url, init)
  }
  const dns = createDns({ urls: [FIRST], fetch, now: () => 0, memory: createDnsMemory() })
  for (const name of ["localhost", "169.254.169.254", "first.test/evil?x=1", "@internal"]) await dns.resolve(name, "A")
  expect(new Set(seen.map(([url]) => url))).toEqual(new Set([FIRST]))
  for (const [, init] of seen) expect(init).toMatchObject({ method: "POST", redirect: "manual" })
})

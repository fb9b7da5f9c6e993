import { expect, test } from "vitest"
import { createDnsMemory } from "../../../src/adapters/dns/memory.ts"
import { createDns } from "../../../src/adapters/dns/resolver.ts"
import { dnsZone, NEGATIVE_TTL, type Zone } from "../../support/mail/dns-zone.ts"

const EMPTY: Zone = { "other.test": { A: ["192.0.2.1"] } }

/** A client of resolvers with these zones. */
function client(all: readonly Zone[]) {
  const zones = all.map(dnsZone)
  const urls = zones.map((_, n) => `https://r${n}.test/`)
  const fetch = (url: string, init?: RequestInit) => zones[urls.indexOf(url)]!.fetch(url, init)
  return { dns: createDns({ urls, fetch, now: () => 0, memory: createDnsMemory() }), zones }
}

test("accepts one resolver's denial where the caller does not need a second, and only there", async () => {
  const { dns, zones } = client([EMPTY, { "half.test": { AAAA: ["2001:db8::1"] } }])
  const unconfirmed = { kind: "no_such_domain", ttlSeconds: NEGATIVE_TTL, isUnconfirmed: true }
  expect(await dns.resolve("half.test", "AAAA", { confirm: false })).toEqual(unconfirmed)
  expect(await dns.resolve("half.test", "AAAA", { confirm: false })).toEqual(unconfirmed)
  expect(zones.map(({ calls }) => calls.length)).toEqual([1, 0])
  const [weak, strong] = await Promise.all([
    dns.resolve("gone.test", "AAAA", { confirm: false }),
    dns.resolve("gone.test", "AAAA"),
  ])
  expect([weak, strong]).toEqual([unconfirmed, { kind: "no_such_domain", ttlSeconds: NEGATIVE_TTL }])
  expect(await dns.resolve("half.test", "AAAA")).toMatchObject({ kind: "failure", reason: "disagreement" })
})

test("the denial of the only resolver is confirmed", async () => {
  const { dns } = client([EMPTY])
  expect(await dns.resolve("gone.test", "AAAA", { confirm: false })).toEqual({
    ...{ kind: "no_such_domain", ttlSeconds: NEGATIVE_TTL },
  })
})

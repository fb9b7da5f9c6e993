import { describe, expect, test } from "vitest"
import type { Dns } from "../../../src/adapters/dns/resolver.ts"
import { COMMON_SELECTORS, type Dkim, SELECTORS_OF } from "../../../src/domain/dns/mail-auth.ts"
import type { MailRoute } from "../../../src/domain/verification/evidence.ts"
import { findAllDkim, findDkim } from "../../../src/services/verification/find-mail-auth.ts"
import { dnsZone, type Zone } from "../../support/mail/dns-zone.ts"

const D = "example.com"
const KNOWN = new Set([...COMMON_SELECTORS, ...Object.values(SELECTORS_OF).flat()]).size
const KEY = { TXT: ["v=DKIM1; k=rsa; p=MIGf"] }
const mx = (host: string): MailRoute => ({ kind: "mx", hosts: [{ host, preference: 1 }] })
const OWN = mx("mx.example.com")

const REVOKED = { TXT: ["v=DKIM1; p="] }

describe("DKIM", () => {
  test.each<[string, Zone, MailRoute, object | null]>([
    [
      "a name at an unknown selector shows no key",
      { [`xyz._domainkey.${D}`]: KEY },
      OWN,
      { present: null, selectors: [], shownBy: "name" },
    ],
    [
      "a wildcard address for other names does not apply below _domainkey (RFC 4592)",
      { [`xyz._domainkey.${D}`]: KEY, [`mv-no-such-name-7q2x.${D}`]: { A: ["192.0.2.1"] } },
      OWN,
      { present: null, selectors: [], shownBy: "name" },
    ],
    [
      "a domain whose only key is revoked has none",
      { [`s1._domainkey.${D}`]: REVOKED },
      OWN,
      { present: false, selectors: [], shownBy: null },
    ],
    [
      "a domain whose operator's key is revoked has none",
      { [`google._domainkey.${D}`]: REVOKED },
      mx("aspmx.l.google.com"),
      { present: false, selectors: [], shownBy: null },
    ],
    [
      "another key replaces a revoked one",
      { [`google._domainkey.${D}`]: REVOKED, [`mbo0001._domainkey.${D}`]: KEY },
      mx("aspmx.l.google.com"),
      { present: true, selectors: ["mbo0001"], shownBy: "key" },
    ],
    [
      "a selector without an answer leaves the presence unknown",
      { [`xyz._domainkey.${D}`]: KEY, [`s1._domainkey.${D}`]: "servfail" },
      OWN,
      null,
    ],
    ["no name below _domainkey", { [D]: { TXT: ["x"] } }, OWN, { present: false, selectors: [], shownBy: null }],
    [
      "a zone where every name exists shows no key",
      { [D]: {}, [`_domainkey.${D}`]: {}, [`mv-no-such-name-7q2x._domainkey.${D}`]: {} },
      OWN,
      { present: false, selectors: [], shownBy: null },
    ],
    [
      "a zone where every name exists, with a key at a common selector",
      { [D]: {}, [`mv-no-such-name-7q2x._domainkey.${D}`]: {}, [`k1._domainkey.${D}`]: KEY },
      OWN,
      { present: true, selectors: ["k1"], shownBy: "key" },
    ],
    [
      "the operator's own selectors are queried first",
      { [`google._domainkey.${D}`]: KEY },
      mx("aspmx.l.google.com"),
      { present: true, selectors: ["google"], shownBy: "key" },
    ],
    ["a DNS failure is unknown", { [`_domainkey.${D}`]: "servfail" }, OWN, null],
  ])("%s", async (_, zone, route, expected) => {
    expect(await findDkim(dnsZone(zone), D, route)).toEqual(expected)
  })

  test.each<[string, Zone, object | null]>([
    [
      "names every known selector with a key",
      { [`s1._domainkey.${D}`]: KEY, [`mbo0001._domainkey.${D}`]: KEY, [`k1._domainkey.${D}`]: REVOKED },
      { present: true, selectors: ["s1", "mbo0001"], shownBy: "key" },
    ],
    ["a revoked key is none", { [`s1._domainkey.${D}`]: REVOKED }, { present: false, selectors: [], shownBy: null }],
    ["a key elsewhere", { [`xyz._domainkey.${D}`]: KEY }, { present: null, selectors: [], shownBy: "name" }],
    ["a DNS failure is unknown", { [`_domainkey.${D}`]: "servfail" }, null],
  ])("asked at every selector: %s", async (_, zone, expected) => {
    expect(await findAllDkim(dnsZone(zone), D)).toEqual(expected)
    // A verification finds the same, or stops at the first of the keys.
    const short = await findDkim(dnsZone(zone), D, OWN)
    expect(short?.present).toBe((expected as Dkim | null)?.present)
  })

  test.each([
    ["is accepted after a sample of selectors", {}, [], 5],
    ["is ignored when a common selector has a key", { [`selector1._domainkey.${D}`]: KEY }, ["selector1"], 5],
    [
      "is ignored, and all other selectors are queried behind a revoked key",
      { [`google._domainkey.${D}`]: REVOKED, [`s2._domainkey.${D}`]: KEY },
      ["s2"],
      KNOWN + 1,
    ],
  ])("_domainkey denied %s", async (_, keys, selectors, questions) => {
    const zone = dnsZone({ [D]: {}, ...keys })
    const denying: Dns = {
      resolve: (name, type) => zone.resolve(name.startsWith("_domainkey.") ? `nobody.${name}` : name, type),
    }
    expect(await findDkim(denying, D, OWN)).toMatchObject({ present: selectors.length > 0, selectors })
    expect(zone.calls).toHaveLength(questions)
  })

  test("revoked keys behind a wildcard are no keys", async () => {
    const below = ["mv-no-such-name-7q2x", "google", "s1"].map((label) => [`${label}._domainkey.${D}`, REVOKED])
    const zone: Zone = Object.fromEntries(below)
    expect(await findDkim(dnsZone(zone), D, OWN)).toMatchObject({ present: false })
    const everywhere = { ...zone, [`_domainkey.${D}`]: REVOKED }
    expect(await findDkim(dnsZone(everywhere), D, OWN)).toMatchObject({ present: false })
  })
})

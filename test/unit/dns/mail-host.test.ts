import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { canBeMailHost, isUnroutable } from "../../../src/domain/dns/hosts.ts"
import type { MailboxEvidence } from "../../../src/domain/verification/evidence.ts"
import { isTemporary } from "../../../src/domain/verification/next-attempt.ts"
import { findExchangers, findMailRoute } from "../../../src/services/verification/find-facts.ts"
import { domainFacts, mailbox, verificationOf } from "../../support/deps/evidence.ts"
import { dnsZone, type Zone } from "../../support/mail/dns-zone.ts"

const D = "example.com"
const NEVER = [
  "localhost",
  "localhost.",
  "LOCALHOST",
  "mx.localhost",
  "0.0.0.0",
  "0.0.0.0.",
  "127.0.0.1",
  "192.0.2.25",
  "8.8.8.8",
  "[8.8.8.8]",
  "mail.1",
  "0x7f000001",
  "::1",
  "2001:db8::25",
  "ms12345678.msv1.invalid",
  "invalid",
  "mail.corp.local",
  "abcdefghijklmnop.onion",
  "mx.alt",
  "mx.internal",
  "mx.home.arpa",
  "",
]
const POSSIBLE = [
  "mx.example.com",
  "mx.example.com.",
  "localhost.example.com",
  "invalid.example.com",
  "1.example.com",
  "10.0.0.1.example.com",
  "mx.mailbox.test",
  "xn--bcher-kva.xn--p1ai",
  "local.de",
  "notlocal",
  "homearpa.com",
]

describe("names of mail hosts", () => {
  test.each(NEVER)("%j can never take mail", (name) => {
    expect(canBeMailHost(name)).toBe(false)
  })

  test.each(POSSIBLE)("%j may take mail", (name) => {
    expect(canBeMailHost(name)).toBe(true)
  })

  test("no IP address is a name of a mail host", () => {
    fc.assert(fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (ip) => !canBeMailHost(ip) && !canBeMailHost(`${ip}.`)))
  })
})

describe("addresses of mail hosts", () => {
  test.each([
    ["127.0.0.1", true],
    ["127.0.1.1", true],
    ["127.53.53.53", true],
    ["0.0.0.0", true],
    ["255.255.255.255", true],
    ["::1", true],
    ["::", true],
    ["::ffff:127.0.0.1", true],
    ["127.42.0.10", false], // the sandbox internet
    ["10.1.2.3", false], // senders inside that network reach it
    ["192.0.2.1", false],
    ["2001:db8::1", false],
    ["no address", false],
  ])("%s leads nowhere: %s", (address, expected) => {
    expect(isUnroutable(address)).toBe(expected)
  })
})

describe("the route of a domain", () => {
  const mx = (...hosts: string[]): Zone => ({
    [D]: { MX: hosts.map((host, at) => ({ preference: 10 * at, host })) },
  })
  const kind = async (zone: Zone) => (await findMailRoute(dnsZone(zone), D)).kind

  test.each(NEVER.filter((name) => name !== ""))("has no mail host with MX %j", async (name) => {
    expect(await kind(mx(name))).toBe("no_mail_host")
    expect(await kind(mx(name, "0.0.0.0"))).toBe("no_mail_host")
    expect(await findMailRoute(dnsZone(mx(name, "mx.example.com")), D)).toMatchObject({ kind: "mx" })
  })

  test.each<[string, Zone[string], string]>([
    ["AAAA ::1", { AAAA: ["::1"] }, "no_mail_host"],
    ["A 127.0.0.1", { A: ["127.0.0.1"] }, "no_mail_host"],
    ["A 0.0.0.0 and AAAA ::", { A: ["0.0.0.0"], AAAA: ["::"] }, "no_mail_host"],
    ["A 127.0.0.1 beside a public AAAA", { A: ["127.0.0.1"], AAAA: ["2001:db8::1"] }, "implicit_mx"],
    ["A 192.0.2.1", { A: ["192.0.2.1"] }, "implicit_mx"],
  ])("with %s and no MX", async (_, records, expected) => {
    expect(await kind({ [D]: records })).toBe(expected)
  })

  test("loopback addresses of a mail host are no addresses", async () => {
    const route = { kind: "mx", hosts: [{ host: "lo.test", preference: 0 }] } as const
    const [exchanger] = await findExchangers(dnsZone({ "lo.test": { A: ["127.0.0.1"], AAAA: ["::1"] } }), route)
    expect(exchanger).toMatchObject({ addresses: [] })
  })
})

describe("a route whose hosts the node does not dial", () => {
  const blocked = (address: string | null) => attempt("blocked_address", address)
  const attempt = (failure: "blocked_address" | "dns" | "timeout", address: string | null) => ({
    mxHost: "mx.example.org",
    address,
    outcome: { kind: "failure", stage: "connect", failure, detail: "", ms: 0 } as const,
  })
  const judged = (attempts: MailboxEvidence["attempts"]) => {
    const { outcome } = attempts.at(-1)!
    const evidence = { ...mailbox(outcome), session: null, attempts }
    return verificationOf("alice@example.org", { domain: domainFacts(), mailbox: evidence })
  }

  test.each([
    [[blocked("127.0.0.1")], "no_mail_host", false],
    [[blocked("::1"), blocked("0.0.0.0")], "no_mail_host", false],
    [[blocked("127.0.0.1"), blocked("10.1.2.3")], "unreachable", false],
    [[blocked("10.1.2.3")], "unreachable", false],
    [[blocked(null)], "unreachable", false], // a node of an earlier release
    [[attempt("dns", null), blocked("127.0.0.1")], "unreachable", true],
    [[attempt("timeout", "127.0.0.1")], "unreachable", true], // the node dials it
  ] as const)("%j: %s, and a list retries it: %s", (attempts, finding, retries) => {
    const status = finding === "no_mail_host" ? "invalid" : "unknown"
    expect(judged(attempts).verdict).toMatchObject({ finding, status })
    expect(isTemporary(judged(attempts))).toBe(retries)
  })
})

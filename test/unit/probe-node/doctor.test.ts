import { describe, expect, test } from "vitest"
import { createDialPort } from "../../../probe-node/address-policy.ts"
import { type NodeSettings, readSettings } from "../../../probe-node/config.ts"
import { checkBlocklists } from "../../../probe-node/doctor/blocklists.ts"
import { certainSkew } from "../../../probe-node/doctor/clock.ts"
import { addressesOf } from "../../../probe-node/doctor/dns.ts"
import { checkEgress, type SourceKnock } from "../../../probe-node/doctor/egress.ts"
import { Findings, listed } from "../../../probe-node/doctor/finding.ts"
import type { Knock } from "../../../probe-node/doctor/knock.ts"
import { checkHelo, checkPtr } from "../../../probe-node/doctor/names.ts"
import type { DoctorNeeds } from "../../../probe-node/doctor/needs.ts"
import { ownAddresses } from "../../../probe-node/doctor/own-addresses.ts"
import { checkResolver } from "../../../probe-node/doctor/resolver.ts"
import { checkSender, checkSenderPolicy } from "../../../probe-node/doctor/sender.ts"
import { createSources } from "../../../probe-node/sources.ts"
import type { DoctorFinding } from "../../../schema/wire/health.ts"
import type { RblZoneAnswer } from "../../../schema/wire/rbl.ts"
import { type DoctorZone, doctorZone } from "../../support/doctor-zone.ts"

const IP = "45.33.113.5"
const HELO = "probe1.example.com"
const GOOD: DoctorZone = {
  [HELO]: { A: [IP] },
  [IP]: { PTR: [HELO] },
  "example.com": { MX: ["mx.example.com"], TXT: [`v=spf1 ip4:${IP} -all`] },
}
const OWN = [{ ip: IP, isAssumed: false }]

function settings(env: Record<string, string> = {}): NodeSettings {
  const read = readSettings({ PROBE_HELO: HELO, PROBE_MAIL_FROM: "probe@example.com", ...env })
  if (!read.ok) throw new Error(read.problems.join("\n"))
  return read.settings
}

interface Setup {
  readonly zone?: DoctorZone
  readonly env?: Record<string, string>
  readonly rbl?: readonly RblZoneAnswer[]
}

function needs({ zone = GOOD, env = {}, rbl = [] }: Setup = {}): DoctorNeeds {
  const given = settings(env)
  return {
    settings: given,
    engine: {
      dialPort: createDialPort(given.policy),
      sources: createSources(given.sourceIps, given.proxy),
    },
    dns: doctorZone(zone),
    rbl: { ask: async ({ requestId }) => ({ requestId, zones: [...rbl] }) },
    machineIps: [],
    now: () => 0,
    signal: new AbortController().signal,
  }
}

function brief(findings: readonly DoctorFinding[]): string[] {
  return findings.map(({ subject, result }) => `${result} ${subject}`)
}

async function helo(setup: Setup, own = OWN): Promise<DoctorFinding[]> {
  const given = needs(setup)
  return checkHelo(given, own, await addressesOf(given.dns, HELO))
}

describe("the HELO name", () => {
  test.each<[what: string, zone: DoctorZone, own: typeof OWN, result: string, says: RegExp]>([
    ["that points to us", GOOD, OWN, "ok", /points to 45/],
    [
      "of somebody else",
      { [HELO]: { A: ["198.51.100.1"] } },
      OWN,
      "fail",
      /is not this node's name.*from 45\.33\.113\.5/,
    ],
    ["without an address", {}, OWN, "fail", /make an A record for it that points to 45\.33\.113\.5/],
    [
      "that misses one of two addresses",
      GOOD,
      [...OWN, { ip: "45.33.113.6", isAssumed: false }],
      "fail",
      /from 45\.33\.113\.6/,
    ],
    [
      "in IPv6, written otherwise",
      { [HELO]: { AAAA: ["2001:DB8:0::5"] } },
      [{ ip: "2001:db8::5", isAssumed: false }],
      "ok",
      /points/,
    ],
    ["when nobody knows our address", GOOD, [{ ip: IP, isAssumed: true }], "unknown", /set PROBE_SOURCE_IPS/],
    ["when DNS is silent", { [HELO]: "down" }, OWN, "unknown", /ETIMEOUT/],
  ])("%s", async (_, zone, own, result, says) => {
    const [finding, ...more] = await helo({ zone }, own)
    expect(more).toEqual([])
    expect(finding).toMatchObject({ result, subject: HELO, detail: expect.stringMatching(says) })
  })
})

describe("the reverse name", () => {
  test.each<[what: string, zone: DoctorZone, result: string, says: RegExp]>([
    ["that is the HELO name", GOOD, "ok", /points back/],
    ["that is missing", { [HELO]: { A: [IP] } }, "fail", /have whoever gave you 45\.33\.113\.5 set/],
    [
      "that does not point back",
      { ...GOOD, [IP]: { PTR: ["x.test"] } },
      "fail",
      /named x\.test, which does not point back/,
    ],
    [
      "that is another of ours",
      { ...GOOD, [IP]: { PTR: ["x.test"] }, "x.test": { A: [IP] } },
      "warn",
      /use that name as PROBE_HELO/,
    ],
    ["that is one of several", { ...GOOD, [IP]: { PTR: ["x.test", HELO] }, "x.test": { A: [IP] } }, "ok", /is named/],
    ["when DNS is silent", { [IP]: "down" }, "unknown", /ETIMEOUT/],
  ])("%s", async (_, zone, result, says) => {
    const [finding] = await checkPtr(needs({ zone }), OWN)
    expect(finding).toMatchObject({ result, subject: IP, detail: expect.stringMatching(says) })
  })

  test.each(["ec2-45-33-113-5.example.net", "5.113.33.45.dynamic.example.net"])("%s is a provider's", async (name) => {
    const zone = { [name]: { A: [IP] }, [IP]: { PTR: [name] } }
    const [finding] = await checkPtr(needs({ zone, env: { PROBE_HELO: name } }), OWN)
    expect(finding).toMatchObject({ result: "warn", detail: expect.stringContaining("a name of your own") })
  })
})

describe("the sender's domain", () => {
  test.each<[zone: DoctorZone, result: string]>([
    [GOOD, "ok"],
    [{ "example.com": { MX: [""] } }, "fail"],
    [{ "example.com": { A: [IP] } }, "warn"],
    [{ "example.com": { TXT: ["x"] } }, "fail"],
    [{}, "fail"],
    [{ "example.com": "down" }, "unknown"],
  ])("%j: %s", async (zone, result) => {
    expect(brief(await checkSender(needs({ zone })))).toEqual([`${result} example.com`])
  })

  test.each<[record: string | null, result: string, says: RegExp]>([
    [`v=spf1 ip4:${IP} -all`, "ok", /may send/],
    ["v=spf1 -all", "fail", /Add ip4:45\.33\.113\.5/],
    ["v=spf1 ~all", "warn", /softfail.*Add ip4:45\.33\.113\.5/],
    ["v=spf1 oops -all", "fail", /SPF is broken: "oops"/],
    [null, "warn", /publish a TXT record such as "v=spf1 ip4:45\.33\.113\.5 -all"/],
  ])("SPF %s: %s", async (record, result, says) => {
    const zone = { "example.com": { MX: ["mx.example.com"], TXT: record === null ? [] : [record] } }
    const [finding] = await checkSenderPolicy(needs({ zone }), OWN)
    expect(finding).toMatchObject({ result, subject: IP, detail: expect.stringMatching(says) })
  })
})

describe("blocklists", () => {
  const list = (zone: string, records: string[] | null, tests: Partial<RblZoneAnswer> = {}): RblZoneAnswer => ({
    zone,
    listedTestPoint: ["127.0.0.2"],
    cleanTestPoint: [],
    answers: [{ ip: IP, records }],
    ...tests,
  })

  test.each<[what: string, rbl: RblZoneAnswer[], result: string, says: RegExp]>([
    ["none has it", [list("a.test", []), list("b.test", [])], "ok", /on none of a\.test and b\.test$/],
    ["a small one has it", [list("a.test", ["127.0.0.2"])], "warn", /is on a\.test: look it up/],
    ["one that everybody uses has it", [list("zen.spamhaus.org", ["127.0.0.10"])], "fail", /is on zen/],
    ["one has the world", [list("a.test", ["127.0.0.2"], { cleanTestPoint: ["127.0.0.2"] })], "unknown", /PROBE_DNS/],
    ["one is dead", [list("a.test", [], { listedTestPoint: [] })], "unknown", /PROBE_DNS/],
    ["one refuses our resolver", [list("zen.spamhaus.org", ["127.255.255.254"])], "unknown", /unbound/],
    ["one is silent", [list("a.test", null), list("b.test", [])], "ok", /no honest answer from a\.test/],
  ])("%s", async (_, rbl, result, says) => {
    const findings = await checkBlocklists(needs({ rbl }), OWN)
    expect(findings).toMatchObject([{ result, subject: IP, detail: expect.stringMatching(says) }])
  })

  test("private and IPv6 addresses are nobody's business", async () => {
    const own = ["10.0.0.1", "2001:db8::1", "127.0.0.1"].map((ip) => ({ ip, isAssumed: false }))
    expect(brief(await checkBlocklists(needs({ rbl: [list("a.test", [])] }), own))).toEqual(["unknown null"])
  })
})

describe("port 25", () => {
  const knock = (outcome: Knock["outcome"], more: Partial<Knock> = {}): Knock => ({
    mxHost: "mx.test",
    outcome,
    detail: "said so",
    isProxyProblem: false,
    localIp: null,
    seenIp: null,
    ...more,
  })
  const from = (source: string, ...knocks: (Knock | null)[]): SourceKnock[] =>
    knocks.map((one, at) => ({ source, host: `h${at}.test`, knock: one, detail: "mx.test said so" }))

  test.each<[knocks: SourceKnock[], findings: string[]]>([
    [from(IP, knock("welcome"), knock("welcome")), [`ok ${IP}`]],
    [from(IP, knock("welcome"), knock("closed")), [`warn ${IP}`]],
    [from(IP, knock("welcome"), knock("refused")), [`warn ${IP}`]],
    [from(IP, knock("refused"), knock("refused")), [`fail ${IP}`]],
    [from(IP, knock("closed"), null), [`fail ${IP}`]],
    [from(IP, null, null), [`unknown ${IP}`]],
    [[], ["unknown null"]],
    [
      [...from(IP, knock("closed")), ...from("45.33.113.6", knock("welcome"))],
      [`fail ${IP}`, "ok 45.33.113.6"],
    ],
  ])("case %#: %j", (knocks, findings) => {
    expect(brief(checkEgress(settings(), knocks))).toEqual(findings)
  })

  test.each<[knocks: SourceKnock[], result: string]>([
    [from("socks5:p", knock("welcome")), "ok"],
    [from("socks5:p", knock("closed", { isProxyProblem: true })), "fail"],
    [from("socks5:p", knock("closed", { isProxyProblem: true }), knock("welcome")), "warn"],
    [from("socks5:p", null), "unknown"],
  ])("through a proxy, case %#", (knocks, result) => {
    const [proxy] = checkEgress(settings({ PROBE_SOCKS5: "socks5://127.0.0.1:1" }), knocks)
    expect(proxy).toMatchObject({ check: "proxy", result })
  })

  test("our address is what hosts say they see, else what we connect from, else the machine's, else the HELO name's", () => {
    const helo = { kind: "records", records: ["198.51.100.9"] } as const
    const own = (knocks: SourceKnock[], env: Record<string, string> = {}, machineIps: string[] = []) =>
      ownAddresses(settings(env), { knocks, helo, machineIps }).map(
        ({ ip, isAssumed }) => `${ip}${isAssumed ? "?" : ""}`,
      )
    const natted = knock("welcome", { localIp: "10.0.0.2", seenIp: IP })
    expect(own(from("system", knock("closed"), natted))).toEqual([IP])
    expect(own(from("10.0.0.2", natted), { PROBE_SOURCE_IPS: "10.0.0.2" })).toEqual([IP])
    expect(own(from("system", knock("welcome", { localIp: IP })))).toEqual([IP])
    expect(own(from(IP, knock("closed")), { PROBE_SOURCE_IPS: IP })).toEqual([IP])
    expect(own([], { PROBE_SOURCE_IPS: `${IP},45.33.113.6` })).toEqual([IP, "45.33.113.6"])
    expect(own(from("system", knock("closed")), {}, [IP])).toEqual([IP])
    expect(own(from("system", knock("welcome", { localIp: "10.0.0.2" })))).toEqual(["198.51.100.9?"])
    expect(own(from("socks5:p", knock("closed")), { PROBE_SOCKS5: "socks5://127.0.0.1:1" }, [IP])).toEqual([
      "198.51.100.9?",
    ])
    expect(own(from("system", knock("welcome", { localIp: "127.0.0.1" })), { PROBE_ALLOW_PRIVATE: "1" })).toEqual([
      "127.0.0.1",
    ])
  })
})

describe("resolver and clock", () => {
  const invented = new Proxy({}, { get: () => ({ A: ["192.0.2.1"], MX: ["x.test"] }) })
  const silent = new Proxy({}, { get: () => "down" })
  test.each<[what: string, zone: DoctorZone, result: string, says: RegExp]>([
    ["honest", { "gmail.com": { MX: ["x.test"] } }, "ok", /says so/],
    ["inventing", invented, "fail", /invents addresses/],
    ["silent", silent, "fail", /does not answer \(ETIMEOUT\)/],
    ["knowing nothing", {}, "fail", /finds none of gmail\.com, outlook\.com and yahoo\.com/],
  ])("%s", async (_, zone, result, says) => {
    expect(await checkResolver(needs({ zone }))).toMatchObject([{ result, detail: expect.stringMatching(says) }])
  })

  test.each([
    [1_000, 1_100, 1_000, 0],
    [1_900, 2_100, 1_000, 0],
    [1_900, 2_100, 2_000, 0],
    [5_500, 5_600, 1_000, 3_500],
    [1_000, 1_100, 5_000, -3_900],
  ])("sent at %d, heard at %d, dated %d: off by %d ms at least", (sentAt, heardAt, date, ms) => {
    expect(certainSkew({ sentAt, heardAt, date })).toBe(ms)
  })
})

test("findings stay within what the wire allows", () => {
  const [finding] = new Findings("egress").add("fail", "x".repeat(300), `${"y".repeat(498)}😀😀`).all
  expect(finding?.subject).toHaveLength(253)
  expect(finding?.detail.length).toBeLessThanOrEqual(500)
  expect(finding?.detail.isWellFormed()).toBe(true)
  expect([[], ["a"], ["a", "b"], ["a", "b", "c"]].map((words) => listed(words))).toEqual([
    "none",
    "a",
    "a and b",
    "a, b and c",
  ])
  expect(listed(["a", "b", "c", "d"], 2)).toBe("a, b and 2 more")
})

import { describe, expect, test } from "vitest"
import { createDialPort, createSources } from "../../../probe-node/addresses.ts"
import { type NodeSettings, readSettings } from "../../../probe-node/config.ts"
import { checkBlocklists } from "../../../probe-node/doctor/blocklists.ts"
import { certainSkew, checkResolver } from "../../../probe-node/doctor/clock-and-resolver.ts"
import { addressesOf } from "../../../probe-node/doctor/dns.ts"
import {
  type ConnectionTest,
  checkEgress,
  ownAddresses,
  type SourceConnection,
} from "../../../probe-node/doctor/egress.ts"
import { type DoctorDeps, Findings, listed } from "../../../probe-node/doctor/findings.ts"
import { checkHelo, checkPtr, checkSender, checkSenderPolicy } from "../../../probe-node/doctor/identity.ts"
import type { DoctorFinding } from "../../../schema/wire/health.ts"
import type { RblZoneAnswer } from "../../../schema/wire/rbl.ts"
import { type DoctorZone, doctorZone } from "../../support/mail/doctor-zone.ts"

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

function deps({ zone = GOOD, env = {}, rbl = [] }: Setup = {}): DoctorDeps {
  const given = settings(env)
  return {
    settings: given,
    engine: {
      dialPort: createDialPort(given.policy),
      sources: createSources(given.sourceIps, given.proxy),
    },
    dns: doctorZone(zone),
    rbl: { lookUpAll: async ({ requestId }) => ({ requestId, zones: [...rbl] }) },
    machineIps: [],
    now: () => 0,
    signal: new AbortController().signal,
  }
}

function brief(findings: readonly DoctorFinding[]): string[] {
  return findings.map(({ subject, result }) => `${result} ${subject}`)
}

async function helo(setup: Setup, own = OWN): Promise<DoctorFinding[]> {
  const given = deps(setup)
  return checkHelo(given, own, await addressesOf(given.dns, HELO))
}

describe("the HELO name", () => {
  test.each<[what: string, zone: DoctorZone, own: typeof OWN, result: string, detail: RegExp]>([
    ["that points to this node", GOOD, OWN, "ok", /points to 45/],
    [
      "of another host",
      { [HELO]: { A: ["198.51.100.1"] } },
      OWN,
      "fail",
      /is not this node's name.*from 45\.33\.113\.5/,
    ],
    ["without an address", {}, OWN, "fail", /create an A record that points to 45\.33\.113\.5/],
    [
      "without one of two addresses",
      GOOD,
      [...OWN, { ip: "45.33.113.6", isAssumed: false }],
      "fail",
      /from 45\.33\.113\.6/,
    ],
    [
      "in IPv6, in another notation",
      { [HELO]: { AAAA: ["2001:DB8:0::5"] } },
      [{ ip: "2001:db8::5", isAssumed: false }],
      "ok",
      /points/,
    ],
    ["with an assumed address only", GOOD, [{ ip: IP, isAssumed: true }], "unknown", /set PROBE_SOURCE_IPS/],
    ["without an answer from DNS", { [HELO]: "down" }, OWN, "unknown", /ETIMEOUT/],
  ])("%s", async (_, zone, own, result, detail) => {
    const [finding, ...more] = await helo({ zone }, own)
    expect(more).toEqual([])
    expect(finding).toMatchObject({ result, subject: HELO, detail: expect.stringMatching(detail) })
  })
})

describe("the reverse name", () => {
  test.each<[what: string, zone: DoctorZone, result: string, detail: RegExp]>([
    ["that is the HELO name", GOOD, "ok", /points back/],
    ["that is missing", { [HELO]: { A: [IP] } }, "fail", /ask the provider of 45\.33\.113\.5 to set/],
    [
      "that does not point back",
      { ...GOOD, [IP]: { PTR: ["x.test"] } },
      "fail",
      /reverse name x\.test, which does not point back/,
    ],
    [
      "that is another name of this node",
      { ...GOOD, [IP]: { PTR: ["x.test"] }, "x.test": { A: [IP] } },
      "warn",
      /use that name as PROBE_HELO/,
    ],
    ["that is one of several", { ...GOOD, [IP]: { PTR: ["x.test", HELO] }, "x.test": { A: [IP] } }, "ok", /back/],
    ["without an answer from DNS", { [IP]: "down" }, "unknown", /ETIMEOUT/],
  ])("%s", async (_, zone, result, detail) => {
    const [finding] = await checkPtr(deps({ zone }), OWN)
    expect(finding).toMatchObject({ result, subject: IP, detail: expect.stringMatching(detail) })
  })

  test.each(["ec2-45-33-113-5.example.net", "5.113.33.45.dynamic.example.net"])("%s is generic", async (name) => {
    const zone = { [name]: { A: [IP] }, [IP]: { PTR: [name] } }
    const [finding] = await checkPtr(deps({ zone, env: { PROBE_HELO: name } }), OWN)
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
    expect(brief(await checkSender(deps({ zone })))).toEqual([`${result} example.com`])
  })

  test.each<[record: string | null, result: string, detail: RegExp]>([
    [`v=spf1 ip4:${IP} -all`, "ok", /may send/],
    ["v=spf1 -all", "fail", /Add ip4:45\.33\.113\.5/],
    ["v=spf1 ~all", "warn", /softfail.*Add ip4:45\.33\.113\.5/],
    ["v=spf1 oops -all", "fail", /SPF is broken: "oops"/],
    [null, "warn", /publish a TXT record such as "v=spf1 ip4:45\.33\.113\.5 -all"/],
  ])("SPF %s: %s", async (record, result, detail) => {
    const zone = { "example.com": { MX: ["mx.example.com"], TXT: record === null ? [] : [record] } }
    const [finding] = await checkSenderPolicy(deps({ zone }), OWN)
    expect(finding).toMatchObject({ result, subject: IP, detail: expect.stringMatching(detail) })
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

  test.each<[what: string, rbl: RblZoneAnswer[], result: string, detail: RegExp]>([
    ["no list has the address", [list("a.test", []), list("b.test", [])], "ok", /on none of a\.test and b\.test$/],
    ["a small list has the address", [list("a.test", ["127.0.0.2"])], "warn", /is on a\.test: read the reason/],
    ["a widely used list has the address", [list("zen.spamhaus.org", ["127.0.0.10"])], "fail", /is on zen/],
    ["a list has them all", [list("a.test", ["127.0.0.2"], { cleanTestPoint: ["127.0.0.2"] })], "unknown", /PROBE_DNS/],
    ["a list is dead", [list("a.test", [], { listedTestPoint: [] })], "unknown", /PROBE_DNS/],
    ["a list refuses the resolver", [list("zen.spamhaus.org", ["127.255.255.254"])], "unknown", /unbound/],
    ["a list does not answer", [list("a.test", null), list("b.test", [])], "ok", /no usable answer from a\.test/],
  ])("%s", async (_, rbl, result, detail) => {
    const findings = await checkBlocklists(deps({ rbl }), OWN)
    expect(findings).toMatchObject([{ result, subject: IP, detail: expect.stringMatching(detail) }])
  })

  test("private and IPv6 addresses are not looked up", async () => {
    const own = ["10.0.0.1", "2001:db8::1", "127.0.0.1"].map((ip) => ({ ip, isAssumed: false }))
    expect(brief(await checkBlocklists(deps({ rbl: [list("a.test", [])] }), own))).toEqual(["unknown null"])
  })
})

describe("port 25", () => {
  const connection = (outcome: ConnectionTest["outcome"], more: Partial<ConnectionTest> = {}): ConnectionTest => ({
    mxHost: "mx.test",
    outcome,
    detail: "reply",
    isProxyProblem: false,
    localIp: null,
    seenIp: null,
    ...more,
  })
  const from = (source: string, ...connections: (ConnectionTest | null)[]): SourceConnection[] =>
    connections.map((one, at) => ({ source, host: `h${at}.test`, connection: one, detail: "mx.test reply" }))

  test.each<[connections: SourceConnection[], findings: string[]]>([
    [from(IP, connection("welcome"), connection("welcome")), [`ok ${IP}`]],
    [from(IP, connection("welcome"), connection("closed")), [`warn ${IP}`]],
    [from(IP, connection("welcome"), connection("refused")), [`warn ${IP}`]],
    [from(IP, connection("refused"), connection("refused")), [`fail ${IP}`]],
    [from(IP, connection("closed"), null), [`fail ${IP}`]],
    [from(IP, null, null), [`unknown ${IP}`]],
    [[], ["unknown null"]],
    [
      [...from(IP, connection("closed")), ...from("45.33.113.6", connection("welcome"))],
      [`fail ${IP}`, "ok 45.33.113.6"],
    ],
  ])("case %#: %j", (connections, findings) => {
    expect(brief(checkEgress(settings(), connections))).toEqual(findings)
  })

  test.each<[what: string, connections: SourceConnection[]]>([
    ["no host answers", from(IP, connection("closed"), connection("closed"))],
    ["every host refuses", from(IP, connection("refused"), connection("refused"))],
    ["no host can be tried", from(IP, null)],
  ])("when %s, the finding names PROBE_DOCTOR_HOSTS", (_, connections) => {
    expect(checkEgress(settings(), connections)[0]?.detail).toContain("PROBE_DOCTOR_HOSTS")
  })

  test.each<[connections: SourceConnection[], result: string]>([
    [from("socks5:p", connection("welcome")), "ok"],
    [from("socks5:p", connection("closed", { isProxyProblem: true })), "fail"],
    [from("socks5:p", connection("closed", { isProxyProblem: true }), connection("welcome")), "warn"],
    [from("socks5:p", null), "unknown"],
  ])("through a proxy, case %#", (connections, result) => {
    const [proxy] = checkEgress(settings({ PROBE_SOCKS5: "socks5://127.0.0.1:1" }), connections)
    expect(proxy).toMatchObject({ check: "proxy", result })
  })

  test("own address: reported by hosts, else the source address, else the machine's, else the HELO name's", () => {
    const helo = { kind: "records", records: ["198.51.100.9"] } as const
    const own = (connections: SourceConnection[], env: Record<string, string> = {}, machineIps: string[] = []) =>
      ownAddresses(settings(env), { connections, helo, machineIps }).map(
        ({ ip, isAssumed }) => `${ip}${isAssumed ? "?" : ""}`,
      )
    const natted = connection("welcome", { localIp: "10.0.0.2", seenIp: IP })
    expect(own(from("system", connection("closed"), natted))).toEqual([IP])
    expect(own(from("10.0.0.2", natted), { PROBE_SOURCE_IPS: "10.0.0.2" })).toEqual([IP])
    expect(own(from("system", connection("welcome", { localIp: IP })))).toEqual([IP])
    expect(own(from(IP, connection("closed")), { PROBE_SOURCE_IPS: IP })).toEqual([IP])
    expect(own([], { PROBE_SOURCE_IPS: `${IP},45.33.113.6` })).toEqual([IP, "45.33.113.6"])
    expect(own(from("system", connection("closed")), {}, [IP])).toEqual([IP])
    expect(own(from("system", connection("welcome", { localIp: "10.0.0.2" })))).toEqual(["198.51.100.9?"])
    expect(own(from("socks5:p", connection("closed")), { PROBE_SOCKS5: "socks5://127.0.0.1:1" }, [IP])).toEqual([
      "198.51.100.9?",
    ])
    expect(own(from("system", connection("welcome", { localIp: "127.0.0.1" })), { PROBE_ALLOW_PRIVATE: "1" })).toEqual([
      "127.0.0.1",
    ])
  })
})

describe("resolver and clock", () => {
  const invented = new Proxy({}, { get: () => ({ A: ["192.0.2.1"], MX: ["x.test"] }) })
  const silent = new Proxy({}, { get: () => "down" })
  const privateNames = new Proxy(
    { "gmail.com": { MX: ["x.test"] } },
    { get: (zone, name) => Reflect.get(zone, name) ?? "down" },
  )
  test.each<[what: string, zone: DoctorZone, result: string, detail: RegExp]>([
    ["correct", { "gmail.com": { MX: ["x.test"] } }, "ok", /reports names that do not exist/],
    ["returning addresses for unknown names", invented, "fail", /returns addresses/],
    ["resolving only its own names", privateNames, "warn", /does not answer NXDOMAIN/],
    ["not answering", silent, "fail", /does not answer \(ETIMEOUT\)/],
    [
      "resolving no mail host",
      {},
      "fail",
      /resolves none of gmail\.com, outlook\.com and yahoo\.com: .*PROBE_DOCTOR_HOSTS/,
    ],
  ])("%s", async (_, zone, result, detail) => {
    expect(await checkResolver(deps({ zone }))).toMatchObject([{ result, detail: expect.stringMatching(detail) }])
  })

  test.each([
    [1_000, 1_100, 1_000, 0],
    [1_900, 2_100, 1_000, 0],
    [1_900, 2_100, 2_000, 0],
    [5_500, 5_600, 1_000, 3_500],
    [1_000, 1_100, 5_000, -3_900],
  ])("sent at %d, replied at %d, dated %d: skew of at least %d ms", (sentAt, repliedAt, date, ms) => {
    expect(certainSkew({ sentAt, repliedAt, date })).toBe(ms)
  })
})

test("findings respect the protocol's limits", () => {
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

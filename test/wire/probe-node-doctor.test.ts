import { createServer } from "node:net"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { readSettings } from "../../probe-node/config.ts"
import { examineNode } from "../../probe-node/doctor/examine.ts"
import { createEngine } from "../../probe-node/probe.ts"
import { DoctorReport } from "../../schema/wire/health.ts"
import { type Sandbox, startSandbox } from "../../scripts/sandbox/main.ts"
import { type Given, type StubServer, startStub } from "../support/providers/stub-server.ts"
import { stopSteadyClock } from "../support/time/steady-clock.ts"

let sandbox: Sandbox
const standIns: StubServer[] = []

beforeAll(async () => {
  sandbox = await startSandbox({
    smtpPort: 0,
    dnsPort: 0,
    dohPort: 0,
    greylistSeconds: 300,
    latencyMs: 0,
    upstream: [],
  })
})
afterEach(async () => {
  for (const standIn of standIns.splice(0)) await standIn.stop()
})
afterAll(() => sandbox.stop())

/** Runs the doctor with the settings of a local stack, and with changes that cause problems. */
async function examine(changes: Record<string, string> = {}, signal = new AbortController().signal) {
  const read = readSettings({
    PROBE_HELO: "probe.mailverdict.test",
    PROBE_MAIL_FROM: "probe@mailverdict.test",
    PROBE_DNS: sandbox.dnsAddress,
    PROBE_SANDBOX: `${sandbox.smtpNetwork}:${sandbox.smtpPort}`,
    PROBE_SOURCE_IPS: "127.0.0.1,127.0.0.2",
    PROBE_DOCTOR_HOSTS: "mailbox.test,backup.test",
    PROBE_RBL_ZONES: "rbl.test,dead-rbl.test,refusing-rbl.test",
    ...changes,
  })
  if (!read.ok) throw new Error(read.problems.join("\n"))
  const report = await examineNode(read.settings, createEngine(read.settings), signal)
  expect(DoctorReport.parse(report)).toEqual(report)
  const brief = report.findings.map(({ check, subject, result }) => `${check} ${subject}: ${result}`)
  return { ...report, brief, of: (check: string) => report.findings.filter((finding) => finding.check === check) }
}

async function clock(answer: () => Given): Promise<string> {
  const standIn = await startStub(answer)
  standIns.push(standIn)
  return standIn.url
}

const dated =
  (offMs: number, headers: Record<string, string> = {}) =>
  () => ({
    status: 204,
    headers: { date: new Date(Date.now() + offMs).toUTCString(), ...headers },
  })

describe("a node in the sandbox internet", () => {
  test("is fit with the stack's settings", async () => {
    const { fit, brief } = await examine({ PROBE_DOCTOR_HOSTS: "mailbox.test,catch-all.test" })
    expect(brief).toEqual([
      expect.stringMatching(/^resolver .*: ok$/),
      "clock null: unknown",
      "egress 127.0.0.1: ok",
      "egress 127.0.0.2: ok",
      "helo probe.mailverdict.test: ok",
      "ptr 127.0.0.1: ok",
      "ptr 127.0.0.2: ok",
      "sender mailverdict.test: ok",
      "spf 127.0.0.1: ok",
      "spf 127.0.0.2: ok",
      "blocklists null: unknown",
    ])
    expect(fit).toBe(true)
  })

  test("sends only EHLO and QUIT to each host", async () => {
    await examine({ PROBE_SOURCE_IPS: "127.0.0.2", PROBE_DOCTOR_HOSTS: "dual-stack.test" })
    const sessions = sandbox.log().connections.filter(({ host }) => host === "mx.dual-stack.test")
    expect(sessions.map(({ client, commands }) => [client.split(":")[0], ...commands])).toEqual([
      ["127.0.0.2", "EHLO probe.mailverdict.test", "QUIT"],
    ])
  })

  test.each<[what: string, changes: Record<string, string>, finding: string, expected: RegExp]>([
    [
      "with the HELO name of another host",
      { PROBE_HELO: "mx.mailbox.test" },
      "helo mx.mailbox.test: fail",
      /points to 127\.42\.0\.10/,
    ],
    [
      "with a HELO name without address",
      { PROBE_HELO: "mailbox.test" },
      "helo mailbox.test: fail",
      /create an A record/,
    ],
    [
      "with an address without a reverse name",
      { PROBE_SOURCE_IPS: "127.0.0.9" },
      "ptr 127.0.0.9: fail",
      /no reverse name/,
    ],
    [
      "if SPF forbids the address",
      { PROBE_MAIL_FROM: "a@mailbox.test" },
      "spf 127.0.0.1: fail",
      /Add ip4:127\.0\.0\.1/,
    ],
    [
      "with a sender domain that accepts no mail",
      { PROBE_MAIL_FROM: "a@null-mx.test" },
      "sender null-mx.test: fail",
      /RFC 7505/,
    ],
    ["without a resolver", { PROBE_DNS: "127.0.0.1:1" }, "resolver 127.0.0.1:1: fail", /does not answer/],
    [
      "with a source IP of another machine",
      { PROBE_SOURCE_IPS: "192.0.2.1" },
      "egress 192.0.2.1: fail",
      /not an address of this/,
    ],
    ["where port 25 is closed", { PROBE_DOCTOR_HOSTS: "refused.test" }, "egress 127.0.0.1: fail", /outgoing port 25/],
    [
      "if every host refuses it",
      { PROBE_DOCTOR_HOSTS: "banner-refusal.test,ehlo-refusal.test" },
      "egress 127.0.0.1: fail",
      /every host refuses it/,
    ],
  ])("is unfit %s", async (_, changes, finding, detail) => {
    const { fit, brief, findings } = await examine(changes)
    expect(fit).toBe(false)
    expect(brief).toContain(finding)
    expect(findings[brief.indexOf(finding)]?.detail).toMatch(detail)
  })

  test("reports a listing only from blocklists that pass the self test", async () => {
    const { of } = await examine({ PROBE_SOURCE_IPS: "127.42.0.44" })
    expect(of("blocklists")).toMatchObject(
      [{ result: "warn", subject: "127.42.0.44", detail: /^is on rbl\.test:/ }].map(({ detail, ...rest }) => ({
        ...rest,
        detail: expect.stringMatching(detail),
      })),
    )
  })

  test("without source IPs, uses the address that a mail host reports", async () => {
    const changes = { PROBE_SOURCE_IPS: "", PROBE_DOCTOR_HOSTS: "starttls.test" }
    expect((await examine(changes)).brief).toContain("ptr 127.0.0.1: ok")
  })

  test("one host that is down or refuses the node is a warning", async () => {
    const { fit, brief } = await examine({ PROBE_DOCTOR_HOSTS: "mailbox.test,one-ip.test,refused.test" })
    expect(brief).toEqual(expect.arrayContaining(["egress 127.0.0.1: warn", "egress 127.0.0.2: warn"]))
    expect(fit).toBe(true)
  })

  test("stops without waiting for a host that hangs", async () => {
    // The clock stands still, so that no time limit ends the connection.
    stopSteadyClock()
    const connections = () => sandbox.log().connections.filter(({ host }) => host === "mx.hang.test")
    const before = connections().length
    const stopped = new AbortController()
    const examined = examine({ PROBE_DOCTOR_HOSTS: "hang.test,dns-timeout.test" }, stopped.signal)
    await expect.poll(() => connections().length).toBe(before + 2)
    stopped.abort()
    expect((await examined).fit).toBe(false)
  })
})

describe("the clock", () => {
  test.each<[what: string, offsMs: number[], result: string]>([
    ["is right", [0], "ok"],
    ["is ten minutes fast", [-600_000], "fail"],
    ["is five seconds behind", [5_500], "fail"],
    ["is two seconds fast", [-2_500], "warn"],
    ["is right, and one answer is old", [-600_000, 0], "ok"],
  ])("%s", async (_, offsMs, result) => {
    const urls = await Promise.all(offsMs.map((offMs) => clock(dated(offMs))))
    expect((await examine({ PROBE_CLOCK_URLS: urls.join(",") })).of("clock")).toMatchObject([{ result }])
  })

  test("subtracts the age of a cached answer, and ignores unreachable servers", async () => {
    const cached = await clock(dated(-600_000, { age: "600" }))
    expect((await examine({ PROBE_CLOCK_URLS: `http://127.0.0.1:1,${cached}` })).of("clock")).toMatchObject([
      { result: "ok" },
    ])
    const undated = await clock(() => ({ status: 200, headers: { date: "soon" } }))
    expect((await examine({ PROBE_CLOCK_URLS: undated })).of("clock")).toMatchObject([{ result: "unknown" }])
  })
})

describe("a SOCKS5 proxy", () => {
  /** A proxy that refuses each CONNECT with this code. */
  async function proxy(answer: number): Promise<string> {
    const server = createServer((client) => {
      client.on("error", () => undefined)
      client.once("data", () => {
        client.write(Uint8Array.of(5, 0))
        client.once("data", () => client.end(Uint8Array.of(5, answer, 0, 1, 0, 0, 0, 0, 0, 0)))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as { port: number }
    standIns.push({ url: "", calls: [], stop: () => new Promise((resolve) => server.close(() => resolve())) })
    return `socks5://127.0.0.1:${port}`
  }

  test.each([
    ["that is unreachable", async () => "socks5://127.0.0.1:1", ["proxy null: fail", "egress socks5:127.0.0.1: fail"]],
    ["that forbids port 25", () => proxy(2), ["proxy null: fail", "egress socks5:127.0.0.1: fail"]],
    ["whose mail host refuses", () => proxy(5), ["proxy null: ok", "egress socks5:127.0.0.1: fail"]],
  ])("%s", async (_, url, expected) => {
    const { fit, brief } = await examine({ PROBE_SOCKS5: await url() })
    expect(brief).toEqual(expect.arrayContaining(expected))
    expect(fit).toBe(false)
  })
})

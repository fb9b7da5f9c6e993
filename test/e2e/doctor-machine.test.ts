import { execFile, spawnSync } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import packet from "dns-packet"
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest"
import { recordBackup } from "../../scripts/data/backup-set.ts"
import { examineMachine, type MachineReport } from "../../scripts/doctor/machine/examine.ts"
import { recordService } from "../../scripts/operator/service.ts"
import { startDnsServer } from "../../scripts/sandbox/resolver.ts"
import { responseTo, type Zone } from "../support/mail/dns-zone.ts"
import { selfSigned } from "../support/providers/self-signed.ts"

const MAIN = fileURLToPath(new URL("../../scripts/doctor/main.ts", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "mailverdict-doctor-machine-"))
const NO_FILE = join(folder, "no.env")
const RUNNING = join(folder, "running")
const OWNER = { email: "owner@example.org", tier: "unlimited" } as const
const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
afterAll(async () => {
  for (const close of closing.toReversed()) await close()
})

/** Valid settings of the running stack, in the sandbox internet. */
let good: Record<string, string>
beforeAll(() => {
  const { dnsAddress, dohUrl, smtpNetwork, smtpPort } = inject("sandbox")
  mkdirSync(RUNNING)
  copyFileSync(join(inject("dataDir"), "secrets.json"), join(RUNNING, "secrets.json"))
  recordService(RUNNING, { url: inject("stackUrl"), owner: OWNER })
  good = {
    DATA_DIR: RUNNING,
    SANDBOX: "0",
    BASE_URL: "https://probe.mailverdict.test",
    CLIENT_IP_HEADER: "x-real-ip",
    PROBE_HELO: "probe.mailverdict.test",
    PROBE_MAIL_FROM: "probe@mailverdict.test",
    PROBE_DNS: dnsAddress,
    DOH_URL: dohUrl,
    PROBE_SANDBOX: `${smtpNetwork}:${smtpPort}`,
    PROBE_SOURCE_IPS: "127.0.0.1",
    PROBE_DOCTOR_HOSTS: "mailbox.test,catch-all.test",
    PROBE_RBL_ZONES: "rbl.test",
  }
})

const find = async (changes: Record<string, string> = {}) =>
  examineMachine({ environment: { ...good, ...changes }, file: NO_FILE, isOffline: false })
const briefOf = ({ findings }: Pick<MachineReport, "findings">) =>
  new Map(findings.map(({ about, result, detail }) => [about, `${result}: ${detail}`]))
const recordsOf = ({ records }: MachineReport) =>
  records.map(({ state, name, type, value }) => [state, type, name, value])

/** The doctor as a process. @returns its exit code and what it prints */
const run = (environment: Record<string, string>, ...args: string[]) =>
  new Promise<{ code: number; out: string }>((resolve) => {
    const env = { PATH: process.env.PATH, ...environment }
    const child = execFile(process.execPath, [MAIN, "--env", NO_FILE, ...args], { env }, (_, out) =>
      resolve({ code: child.exitCode!, out }),
    )
  })

/** A resolver for a zone, beside the sandbox's. */
async function resolver(zone: Zone): Promise<string> {
  const answer = async (message: Buffer) => packet.encode(responseTo(zone, packet.decode(message)))
  const server = await startDnsServer(0, { answer } as never)
  closing.push(() => server.stop())
  return `127.0.0.1:${server.port}`
}

describe("npm run doctor on the machine of an edge", () => {
  test("as a process: says which doctor ran, counts secrets.json, and shows no secret", async () => {
    const { out: text } = await run(good, "--machine")
    expect(text).toMatch(/^Checked this machine \(--machine\)\./)
    expect(text).not.toContain(inject("adminSecret"))
    const report = JSON.parse((await run(good, "--json")).out) as MachineReport & { doctor: string }
    expect(report.doctor).toBe("machine")
    const found = briefOf(report)
    expect(found.get("secrets")).toMatch(/^ok: .*secrets\.json has them$/)
    expect(found.get("service")).toBe(`ok: runs at ${inject("stackUrl")}/health`)
    expect(found.get("egress 127.0.0.1")).toMatch(/^ok: port 25 is open/)
    expect([report.hoster, report.ticket]).toEqual([null, null])
  })

  test("lists each DNS record as it is published", async () => {
    expect(recordsOf(await find())).toEqual([
      ["ok", "A", "probe.mailverdict.test", "127.0.0.1"],
      ["ok", "PTR", "127.0.0.1", "probe.mailverdict.test"],
      ["ok", "MX", "mailverdict.test", expect.stringMatching(/^10 /)],
      ["ok", "TXT", "mailverdict.test", expect.stringMatching(/^v=spf1 /)],
    ])
  })

  test("with closed port 25: names the provider's rule, and writes the request", async () => {
    const zone: Zone = {
      "probe1.example.com": { A: ["127.0.0.1"] },
      "api.example.com": { A: ["192.0.2.9"] },
      "example.com": { MX: [{ host: "mx.example.com", preference: 10 }], TXT: ["v=spf1 ip4:192.0.2.1 -all"] },
      "closed.test": { MX: [{ host: "mx.closed.test", preference: 10 }] },
      "mx.closed.test": { A: ["127.42.0.77"] },
      "1.0.0.127.origin.asn.cymru.com": { TXT: ["24940 | 127.0.0.0/8 | DE | ripencc | 2002-06-03"] },
    }
    const report = await find({
      ...{ BASE_URL: "https://api.example.com", PROBE_HELO: "probe1.example.com", PROBE_MAIL_FROM: "p@example.com" },
      ...{ PROBE_DNS: await resolver(zone), PROBE_DOCTOR_HOSTS: "closed.test", PROBE_SANDBOX: "127.42.0.0/16:1" },
    })
    const found = briefOf(report)
    expect(report.hoster).toMatchObject({ name: "Hetzner", port25: "by request" })
    expect(found.get("port 25")).toMatch(/^fail: is closed\. Hetzner: .*first invoice.*request/)
    for (const text of ["probe1.example.com (127.0.0.1)", "p@example.com", "https://api.example.com", "before DATA"])
      expect(report.ticket).toContain(text)
    expect(found.get("DNS api.example.com")).toMatch(/^warn: points to 192\.0\.2\.9/)
    expect(recordsOf(report)).toEqual([
      ["differs", "A", "api.example.com", "127.0.0.1"],
      ["ok", "A", "probe1.example.com", "127.0.0.1"],
      ["missing", "PTR", "127.0.0.1", "probe1.example.com"],
      ["ok", "MX", "example.com", "10 mx.example.com"],
      ["differs", "TXT", "example.com", "v=spf1 ip4:192.0.2.1 ip4:127.0.0.1 -all"],
    ])
  })

  test("names a resolver of the edge that does not answer, as behind a closed port 443", async () => {
    const found = briefOf(await find({ DOH_URL: `${good.DOH_URL},http://127.0.0.1:1/dns-query` }))
    expect(found.get(`resolver ${new URL(good.DOH_URL!).host}`)).toBe("ok: answers")
    expect(found.get("resolver 127.0.0.1:1")).toMatch(/^fail: /)
  })

  test("says what the settings lack", async () => {
    const { SANDBOX: _, CLIENT_IP_HEADER: __, PROBE_HELO: ___, ...rest } = good
    const environment = { ...rest, BASE_URL: "http://127.0.0.1:8787", CONNECTIONS: "many" }
    const found = briefOf(await examineMachine({ environment, file: NO_FILE, isOffline: false }))
    expect(found.get("SANDBOX")).toMatch(/^warn: is on: .* Set SANDBOX=0/)
    expect(found.get("BASE_URL")).toMatch(/^fail: is not a public https URL/)
    expect(found.get("MAIL_API_URL")).toMatch(/^warn: is not set: sign-in by link is off/)
    expect(found.get("CONNECTIONS")).toMatch(/^fail: must be a whole number/)
    expect(found.get("PROBE_HELO")).toMatch(/^fail: is missing: set it to the full host name/)
  })

  test("on a new machine: each line that is not ok says what to do, and two settings are missing", async () => {
    const { code, out } = await run(
      { DATA_DIR: join(folder, "new"), PROBE_DNS: good.PROBE_DNS! },
      "--machine",
      "--json",
    )
    const { findings } = JSON.parse(out) as MachineReport
    const failed = findings.filter(({ result }) => result === "fail").map(({ about }) => about)
    expect({ code, failed }).toEqual({ code: 1, failed: ["API_HOST", "PROBE_MAIL_FROM"] })
    const action = /\b(set it|Set it|start it|install|Name lists|the first start generates it|use a machine|raise)\b/
    for (const { result, about, detail } of findings)
      expect([about, result === "ok" || action.test(detail)], detail).toEqual([about, true])
  })

  test("before the start: a good machine has no failure, and what needs the service is checked later", async () => {
    const dataDir = join(folder, "later")
    const { code, out } = await run({ ...good, DATA_DIR: dataDir }, "--machine", "--json")
    expect(code).toBe(0)
    const found = briefOf(JSON.parse(out) as MachineReport)
    expect(found.get("service")).toMatch(/^warn: is not started: start it/)
    expect(found.get("TLS probe.mailverdict.test")).toMatch(/^warn: is checked when the service runs/)
    expect(found.get("secrets")).toMatch(/^warn: .* the first start generates it/)
    expect(found.get("disk")).toMatch(/^ok: [\d,]+ MiB are free/)
    expect(existsSync(dataDir)).toBe(false)
  })

  test.each<[what: string, service: () => { url: string; pid: number }, expected: RegExp]>([
    [
      "has ended",
      () => ({ url: inject("stackUrl"), pid: spawnSync(process.execPath, ["--version"]).pid }),
      /^fail: has ended without a stop: read its log/,
    ],
    ["does not answer", () => ({ url: "http://127.0.0.1:1", pid: process.pid }), /^fail: does not answer at http/],
  ])("a started service that %s is a failure", async (what, service, expected) => {
    const dataDir = join(folder, what.replaceAll(" ", "-"))
    mkdirSync(dataDir)
    writeFileSync(join(dataDir, "service.json"), JSON.stringify({ owner: OWNER, ...service() }))
    expect(briefOf(await find({ DATA_DIR: dataDir, PROBE_NODES: "[]" })).get("service")).toMatch(expected)
  })
})

describe("the last backup", () => {
  const HOUR_MS = 3_600_000
  test.each<[what: string, backup: { hours: number; place: string } | null, expected: RegExp]>([
    ["none", null, /^warn: there is none: install mailverdict-backup\.timer/],
    ["fresh, at S3", { hours: 3, place: "s3://bucket/2026" }, /^ok: .* to s3:\/\/bucket\/2026$/],
    ["fresh, on the same disk", { hours: 3, place: "backups" }, /^warn: .*on the disk of the data: set BACKUP_TO/],
    ["two days old", { hours: 48, place: "/mnt/b/1" }, /^warn: the last one is of/],
    ["two weeks old", { hours: 336, place: "/mnt/b/1" }, /^fail: the last one is of/],
  ])("%s", async (what, backup, expected) => {
    const dataDir = join(folder, what.replaceAll(/\W/g, "-"))
    mkdirSync(dataDir)
    writeFileSync(join(dataDir, "secrets.json"), "{")
    const place = backup?.place === "backups" ? join(dataDir, "backups/1") : backup?.place
    if (backup?.place === "backups") mkdirSync(place!, { recursive: true })
    if (backup) recordBackup(dataDir, { at: Date.now() - backup.hours * HOUR_MS, place: place! })
    const found = briefOf(await examineMachine({ environment: { DATA_DIR: dataDir }, file: NO_FILE, isOffline: true }))
    expect(found.get("backup")).toMatch(expected)
    expect(found.get("secrets")).toMatch(/^fail: .*secrets\.json is damaged: restore it/)
  })
})

describe("the public address", () => {
  /** A TLS proxy in front of the running stack. @param realIp the header that it sends for a call */
  async function proxy({ cert, key }: ReturnType<typeof selfSigned>, realIp: (claimed: string) => string | null) {
    const server = createServer({ cert, key }, async (request, response) => {
      const sent = realIp(String(request.headers["x-real-ip"] ?? ""))
      const headers = {
        "x-admin-secret": String(request.headers["x-admin-secret"]),
        ...(sent ? { "x-real-ip": sent } : {}),
      }
      const answer = await fetch(`${inject("stackUrl")}${request.url}`, { headers })
      response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text())
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    closing.push(() => server.close())
    return `https://localhost:${(server.address() as AddressInfo).port}`
  }

  /** The doctor as a process that trusts the certificate, as it trusts those of public authorities. */
  async function examined(url: string, cert: string, changes = {}): Promise<Map<string, string>> {
    const ca = join(folder, "ca.pem")
    writeFileSync(ca, cert)
    const environment = { NODE_EXTRA_CA_CERTS: ca, ...good, BASE_URL: url, PROBE_NODES: "[]", ...changes }
    return briefOf(JSON.parse((await run(environment, "--machine", "--json")).out) as MachineReport)
  }

  test.each<[what: string, realIp: (claimed: string) => string | null, expected: RegExp]>([
    ["sets the header", () => "198.51.100.4", /^ok: x-real-ip arrives with the caller's address \(198\.51\.100\.4\)$/],
    ["passes on what callers claim", (claimed) => claimed, /^fail: the proxy passes on the x-real-ip of callers/],
    ["sends a list", (claimed) => `${claimed}, 198.51.100.4`, /^fail: x-real-ip is not a single address/],
    ["sets nothing", () => null, /^fail: the proxy does not set x-real-ip/],
  ])("a proxy that %s", async (_, realIp, expected) => {
    const own = selfSigned("localhost")
    const url = await proxy(own, realIp)
    const found = await examined(url, own.cert)
    expect(found.get(`TLS ${new URL(url).host}`)).toBe("ok: the certificate is valid for this name, until 2049-12-31")
    expect(found.get("CLIENT_IP_HEADER")).toMatch(expected)
  })

  test("that leads to a service with another secret", async () => {
    const own = selfSigned("localhost")
    const url = await proxy(own, () => "198.51.100.4")
    const found = await examined(url, own.cert, { ADMIN_SECRET: "of-another-service".repeat(2) })
    expect(found.get("CLIENT_IP_HEADER")).toMatch(/^fail: localhost:\d+ refuses ADMIN_SECRET: let the host name/)
  })

  test.each<[what: string, own: ReturnType<typeof selfSigned>, trusted: boolean, expected: RegExp]>([
    ["for another name", selfSigned("other.example"), true, /^fail: the certificate is refused \(.*ALTNAME/i],
    ["of no authority", selfSigned("localhost"), false, /^fail: the certificate is refused \(.*SELF_SIGNED/i],
    ["that has expired", selfSigned("localhost", -1), true, /^fail: the certificate is refused \(.*EXPIRED/i],
    [
      "that ends soon",
      selfSigned("localhost", 5),
      true,
      /^warn: the certificate is valid until .* only: the renewal fails/,
    ],
  ])("a certificate %s", async (_, own, trusted, expected) => {
    const url = await proxy(own, () => "198.51.100.4")
    const found = await examined(url, trusted ? own.cert : selfSigned("stranger").cert)
    expect(found.get(`TLS ${new URL(url).host}`)).toMatch(expected)
    expect(found.has("CLIENT_IP_HEADER")).toBe(!expected.source.startsWith("^fail"))
  })

  test("without a proxy", async () => {
    const found = await examined("https://localhost:1", selfSigned("localhost").cert)
    expect(found.get("TLS localhost:1")).toMatch(/^fail: no TLS connection .*: start the proxy, open port 443/)
  })
})

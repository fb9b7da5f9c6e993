import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseEnv } from "node:util"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { DoctorReport, NodeHealth } from "../../schema/wire/health.ts"
import { generateKeyPair, importSigningKey, importTrustedKey, publicKeyOf } from "../../schema/wire/keys.ts"
import { HEALTH_PATH } from "../../schema/wire/probe.ts"
import { signRequest, verifyResponse } from "../../schema/wire/signature.ts"
import { buildNode } from "../../scripts/build/build-node.ts"
import { type Sandbox, startSandbox } from "../../scripts/sandbox/main.ts"
import { nodeSettings, runCommand, startCommand } from "../support/mail/node-command.ts"

const root = mkdtempSync(join(tmpdir(), "probe-node-"))
const edge = await generateKeyPair("edge-1")
let bundle = ""
let sandbox: Sandbox
/** Working directory of the command: a new folder outside any package. */
let folder = ""

beforeAll(async () => {
  bundle = await buildNode(join(root, "probe-node.mjs"))
  sandbox = await startSandbox({
    smtpPort: 0,
    dnsPort: 0,
    dohPort: 0,
    greylistSeconds: 300,
    latencyMs: 0,
    upstream: [],
  })
})
beforeEach(() => {
  folder = mkdtempSync(join(root, "run-"))
})
afterAll(async () => {
  await sandbox.stop()
  rmSync(root, { recursive: true })
})

const inSandbox = (changes: Record<string, string> = {}) => nodeSettings(sandbox, changes)
const start = (args: string[], env: Record<string, string> = {}) => startCommand({ file: bundle, folder, args, env })
const run = (args: string[], env: Record<string, string> = {}) => runCommand({ file: bundle, folder, args, env })

describe("doctor", () => {
  test("prints a table and exits with 0 when the node is fit", async () => {
    const { code, out, err } = await run(["doctor"], inSandbox())
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toMatch(/^ok +ptr +127\.0\.0\.2 +has the reverse name probe\.mailverdict\.test/m)
    expect(out).toMatch(/\nfit: 0 fail, 0 warn, 2 unknown, \d+ ok\n$/)
    expect(out).not.toContain("\u001b")
  })

  test("exits with 1 when the node is unfit, and reports it in JSON too", async () => {
    const { code, out } = await run(["doctor", "--json"], inSandbox({ PROBE_HELO: "mx.mailbox.test" }))
    expect(code).toBe(1)
    const report = DoctorReport.parse(JSON.parse(out))
    expect(report.fit).toBe(false)
    expect(report.findings.find(({ check }) => check === "helo")).toMatchObject({ result: "fail" })
  })

  test("needs no keys, but reports every invalid setting", async () => {
    const { code, out, err } = await run(["doctor"], { PROBE_HELO: "203.0.113.5" })
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(err).toMatch(
      /PROBE_HELO is a bare IP address: set it to .*\nprobe node: PROBE_MAIL_FROM is missing: set it to/,
    )
  })

  test("reads its settings from a file, and the environment takes precedence", async () => {
    const lines = Object.entries(inSandbox({ PROBE_HELO: "localhost" })).map(([name, value]) => `${name}=${value}\n`)
    writeFileSync(join(folder, "probe.env"), lines.join(""))
    expect(await run(["doctor"])).toMatchObject({ code: 1, err: expect.stringContaining("PROBE_HELO is localhost") })
    expect(await run(["doctor"], { PROBE_HELO: "probe.mailverdict.test" })).toMatchObject({ code: 0 })
    expect(await run(["doctor", "--settings", "gone.env"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("gone.env"),
    })
  })
})

describe("check", () => {
  test("prints the transcript and the inputs of the verdict", async () => {
    const { code, out } = await run(["check", "alice@mailbox.test", "--from", "127.0.0.2"], inSandbox())
    expect(code).toBe(0)
    const output = out.replace(/^ *[\d.]+ ms {2}/gm, "").replace(/[0-9a-f]{18}@/g, "random@")
    expect(output).toContain(
      `-- connecting to mx.mailbox.test [127.42.0.10]:${sandbox.smtpPort} from 127.0.0.2\n-- connected\n<- 220 `,
    )
    expect(output).toContain(
      "-> MAIL FROM:<probe@mailverdict.test>\n-> RCPT TO:<alice@mailbox.test>\n-> RCPT TO:<random@mailbox.test>\n-> QUIT\n",
    )
    expect(output).toMatch(/\nrcpt +250 2\.1\.5 Ok, [\d.]+ ms\ncatch-all +550 5\.1\.1 <random@mailbox\.test>/)
  })

  test("prints every line as JSON, also with TLS", async () => {
    const { code, out } = await run(["check", "nobody@starttls.test", "--json", "--no-control"], inSandbox())
    expect(code).toBe(0)
    const { address, route, transcript, result } = JSON.parse(out)
    expect({ address, route }).toEqual({
      address: "nobody@starttls.test",
      route: { kind: "mx", hosts: [{ host: "mx.starttls.test", preference: 10 }] },
    })
    expect(result).toMatchObject({
      outcome: { stage: "rcpt", reply: { code: 550 } },
      control: null,
      session: { tls: {} },
    })
    const texts = transcript.map(({ from, text }: { from: string; text: string }) => `${from} ${text}`)
    expect(texts).toEqual(
      expect.arrayContaining([
        "us STARTTLS",
        expect.stringMatching(/^node TLSv1\.\d/),
        "us RCPT TO:<nobody@starttls.test>",
      ]),
    )
  })

  test.concurrent.each([
    ["x@null-mx.test", /^dns +a null MX/m],
    ["x@nowhere.test", /^dns +the domain does not exist/m],
    ["x@servfail.test", /^dns +DNS does not answer \(ESERVFAIL\)/m],
    ["x@garbage.test", /<- HTTP\/1\.1 400[\s\S]*^rcpt +no answer: protocol at banner/m],
    ["x@ehlo-refusal.test", /^rcpt +refused at ehlo: 550 5\.7\.1/m],
    ["x@mx-private.test", /^rcpt +no answer: blocked_address at connect/m],
  ])("%s gets no answer, with the reason", async (address, expected) => {
    const { code, out } = await run(["check", address], inSandbox())
    expect(code).toBe(1)
    expect(out).toMatch(expected)
  })

  test.concurrent.each([
    [["check"], /usage: check someone@example\.org/],
    [["check", "not-an-address"], /not an email address/],
    [["check", "a@b.test>\r\nRSET"], /not an email address/],
    [["check", "a@mailbox.test", "--from", "192.0.2.1"], /192\.0\.2\.1 is not in PROBE_SOURCE_IPS/],
    [["check", "a@mailbox.test", "--fast"], /Unknown option '--fast'/],
    [["toString"], /unknown command "toString": use one of serve, doctor, check, enrol, keygen/],
  ])("%j is refused", async (args, expected) => {
    expect(await run(args, inSandbox())).toMatchObject({ code: 1, out: "", err: expect.stringMatching(expected) })
  })
})

const IDENTITY = ["--id", "fra-1", "--region", "eu", "--url", "https://probe1.example.com"]

test("keygen generates matching pairs", async () => {
  const { code, out } = await run(["keygen", "edge-2", "--json"])
  expect(code).toBe(0)
  const { signing_key, public_key } = JSON.parse(out)
  expect(await publicKeyOf(signing_key)).toBe(public_key)
  expect(await run(["keygen", "a b"])).toMatchObject({ code: 1, out: "" })
})

test("an enrolled node serves signed findings, and stops on SIGTERM", async () => {
  await run(["enrol", ...IDENTITY, "--trust", edge.publicKey], inSandbox())
  const { child, output } = start(["serve"], { ...inSandbox({ PROBE_HELO: "mx.mailbox.test" }), PROBE_PORT: "0" })
  await once(child.stdout, "data")
  const url = /listening on (\S+)/.exec(output.out)?.[1] ?? ""
  const stored = parseEnv(readFileSync(join(folder, "probe.env"), "utf8"))
  const nodeKey = await importTrustedKey(await publicKeyOf(stored.PROBE_SIGNING_KEY!))

  async function health(): Promise<NodeHealth["doctor"]> {
    const asked = {
      method: "GET",
      url: `https://probe1.example.com${HEALTH_PATH}`,
      headers: new Headers({ "content-type": "application/json" }),
      body: new Uint8Array(),
    }
    const nowSeconds = Math.floor(Date.now() / 1_000)
    const headers = await signRequest(asked, await importSigningKey(edge.signingKey), {
      nowSeconds,
      nonce: crypto.randomUUID(),
    })
    const answer = await fetch(url + HEALTH_PATH, { headers: [...headers] })
    const body = new Uint8Array(await answer.arrayBuffer())
    const wire = { status: answer.status, headers: answer.headers, body }
    expect(await verifyResponse(wire, { ...asked, headers }, [nodeKey], nowSeconds)).toMatchObject({ ok: true })
    return NodeHealth.parse(JSON.parse(Buffer.from(body).toString())).doctor
  }

  await expect.poll(async () => (await health())?.fit, { interval: 200 }).toBe(false)
  expect((await health())?.findings).toContainEqual(expect.objectContaining({ check: "helo", result: "fail" }))
  const metrics = await (await fetch(`${url}/metrics`)).text()
  expect(metrics).toContain("\nprobe_doctor_fit 0\n")
  expect(metrics).toMatch(/\nprobe_doctor_findings\{result="fail"\} 1\n/)
  child.kill("SIGTERM")
  expect((await once(child, "close"))[0]).toBe(0)
  const events = output.err
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { event: string; check?: string })
  expect(events).toContainEqual(expect.objectContaining({ event: "doctor_finding", check: "helo", result: "fail" }))
  expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(["doctor_unfit", "draining", "stopped"]))
  expect(output.err).not.toContain("probe@")
})

import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { generateKeyPair, publicKeyOf } from "../../schema/wire/keys.ts"
import { buildNode } from "../../scripts/build/build-node.ts"
import { runCommand, startCommand } from "../support/mail/node-command.ts"
import { type Given, type StubRequest, startStub } from "../support/providers/stub-server.ts"

const root = mkdtempSync(join(tmpdir(), "probe-node-"))
const edge = await generateKeyPair("edge-1")
let bundle = ""
/** Working directory of the command: a new folder outside any package. */
let folder = ""

beforeAll(async () => {
  bundle = await buildNode(join(root, "probe-node.mjs"))
})
beforeEach(() => {
  folder = mkdtempSync(join(root, "run-"))
})
afterAll(() => rmSync(root, { recursive: true }))

const start = (args: string[], env: Record<string, string> = {}) => startCommand({ file: bundle, folder, args, env })
const run = (args: string[], env: Record<string, string> = {}) => runCommand({ file: bundle, folder, args, env })

const IDENTITY = ["--id", "fra-1", "--region", "eu", "--url", "https://probe1.example.com"]
const NAMES = ["--helo", "probe1.example.com", "--mail-from", "probe@example.com"]
const settingsIn = (file = "probe.env") =>
  Object.fromEntries(
    readFileSync(join(folder, file), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/=(.*)/s, 2)),
  )

describe("enrol", () => {
  test("without an edge stores the key and prints the entry for PROBE_NODES", async () => {
    const { code, err } = await run(["enrol", ...IDENTITY, ...NAMES, "--trust", edge.publicKey])
    expect(code).toBe(0)
    expect(readdirSync(folder)).toEqual(["probe.env"])
    expect(statSync(join(folder, "probe.env")).mode & 0o777).toBe(0o600)
    const { PROBE_SIGNING_KEY, ...rest } = settingsIn()
    expect(rest).toEqual({
      PROBE_NODE_ID: "fra-1",
      PROBE_REGION: "eu",
      PROBE_PUBLIC_URL: "https://probe1.example.com",
      PROBE_HELO: "probe1.example.com",
      PROBE_MAIL_FROM: "probe@example.com",
      PROBE_TRUSTED_KEYS: edge.publicKey,
    })
    const public_keys = [await publicKeyOf(PROBE_SIGNING_KEY)]
    expect(err).toContain(JSON.stringify({ id: "fra-1", region: "eu", url: "https://probe1.example.com", public_keys }))
    expect(err).not.toContain(PROBE_SIGNING_KEY.split(":")[1])

    writeFileSync(join(folder, "probe.env"), `# mine\nPROBE_RATE=2\n${readFileSync(join(folder, "probe.env"))}`)
    await run(["enrol", "--region", "us"])
    expect(settingsIn()).toMatchObject({ PROBE_SIGNING_KEY, PROBE_RATE: "2", PROBE_REGION: "us" })
    expect(readFileSync(join(folder, "probe.env"), "utf8")).toMatch(/^# mine\nPROBE_RATE=2\n/)
  })

  /** Enrols at an edge with this answer, and returns the edge's requests. The token comes by the environment. */
  async function enrolAt(
    given: Given,
    args: string[] = [],
    env: Record<string, string> = { PROBE_TOKEN: "secret-token" },
  ) {
    const asked: StubRequest[] = []
    const standIn = await startStub((one) => {
      asked.push(one)
      return given
    })
    const ended = await run(["enrol", ...IDENTITY, ...NAMES, "--edge", standIn.url, ...args], env)
    await standIn.stop()
    return { ...ended, asked }
  }

  test("sends its identity to an edge, and stores the edge's keys", async () => {
    const given = { status: 201, json: { id: "fra-1", edge_public_keys: [edge.publicKey] } }
    const { code, err, asked } = await enrolAt(given, ["--source-ips", "203.0.113.5, 2001:db8::5"])
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining("Enrolled as fra-1 at http://") })
    expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual(["POST /fleet/nodes/enrol"])
    const { PROBE_SIGNING_KEY, PROBE_TRUSTED_KEYS } = settingsIn()
    expect(PROBE_TRUSTED_KEYS).toBe(edge.publicKey)
    expect(JSON.parse(asked[0]!.body)).toEqual({
      token: "secret-token",
      id: "fra-1",
      region: "eu",
      url: "https://probe1.example.com",
      public_key: await publicKeyOf(PROBE_SIGNING_KEY),
      source_ips: ["203.0.113.5", "2001:db8::5"],
      capacity: 1_000,
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    })
    expect(readFileSync(join(folder, "probe.env"), "utf8")).not.toContain("secret-token")
  })

  test.each([
    [
      { status: 401, json: { detail: "unknown token" } },
      /answered 401 \(unknown token\): the token is invalid, expired or used/,
    ],
    [{ status: 409, json: { detail: "taken" } }, /answered 409 \(taken\): the id is taken/],
    [{ status: 502 }, /answered 502$/m],
  ])("reports that the edge answers %j", async (given, expected) => {
    const { code, err } = await enrolAt(given)
    expect(code).toBe(1)
    expect(err).toMatch(expected)
    expect(err).not.toContain("secret-token")
    const { PROBE_SIGNING_KEY, ...rest } = settingsIn()
    expect(rest).toEqual({})
    const again = await enrolAt({ status: 201, json: {} })
    expect(JSON.parse(again.asked[0]!.body).public_key).toBe(await publicKeyOf(PROBE_SIGNING_KEY))
  })

  test("that is refused leaves the settings of a node as they are", async () => {
    await run(["enrol", ...IDENTITY, ...NAMES, "--trust", edge.publicKey])
    const before = readFileSync(join(folder, "probe.env"), "utf8")
    const other = ["--id", "fra-2", "--region", "us", "--url", "https://probe2.example.com"]
    expect(await enrolAt({ status: 409, json: { detail: "taken" } }, other)).toMatchObject({ code: 1 })
    expect(readFileSync(join(folder, "probe.env"), "utf8")).toBe(before)
  })

  test("takes the token from a file", async () => {
    writeFileSync(join(folder, "token"), "secret-token\n")
    const { code, asked } = await enrolAt({ status: 200, json: {} }, ["--token-file", "token"], {})
    expect({ code, token: JSON.parse(asked[0]!.body).token }).toEqual({ code: 0, token: "secret-token" })
    expect(await enrolAt({ status: 200, json: {} }, ["--token-file", "gone"], {})).toMatchObject({
      ...{ code: 1, asked: [] },
      err: expect.stringContaining("--token-file cannot be read: ENOENT"),
    })
  })

  test("takes the token from the first line of standard input, which may stay open", async () => {
    const asked: StubRequest[] = []
    const standIn = await startStub((one) => {
      asked.push(one)
      return { status: 200, json: {} }
    })
    const args = ["enrol", ...IDENTITY, ...NAMES, "--edge", standIn.url, "--token-file", "-"]
    const { child, output } = start(args)
    child.stdin.write("secret-token\n")
    const [code] = await once(child, "close")
    expect({ code, ...output }).toMatchObject({ code: 0, err: expect.stringContaining("paste it and press Enter") })
    expect(JSON.parse(asked[0]!.body).token).toBe("secret-token")

    const empty = start(args)
    empty.child.stdin.end()
    expect(await once(empty.child, "close")).toEqual([1, null])
    expect(empty.output.err).toContain("the token is empty")
    await standIn.stop()
  })

  test("prints the settings instead of storing them", async () => {
    const { code, out } = await run(["enrol", ...IDENTITY, ...NAMES, "--print"])
    expect(code).toBe(0)
    expect(out).toMatch(/^(PROBE_[A-Z_]+=\S+\n)+$/)
    expect(readdirSync(folder)).toEqual([])
    // The output takes the place of the file.
    const other = await run(["enrol", ...IDENTITY, ...NAMES, "--print"], {
      PROBE_RATE: "2",
      PROBE_TOKEN: "secret-token",
    })
    expect(other.out).toMatch(/^PROBE_RATE=2$/m)
    expect(other.out).not.toContain("secret-token")
  })

  test.concurrent.each([
    [["--edge", "http://edge.example.com"], /--edge must be an https:\/\/ URL/, { PROBE_TOKEN: "t" }],
    [["--edge", "https://edge.example.com"], /the token is missing: set PROBE_TOKEN, or use --token-file FILE/],
    [
      ["--edge", "https://edge.example.com", "--token", "secret-token"],
      /^probe node: --token shows the token in ps and in the shell's history: set PROBE_TOKEN, or use --token-file FILE, or --token-file - for standard input instead\n$/,
    ],
    [["--token-file", "token"], /--token-file needs --edge/],
    [["--url", "http://probe1.example.com"], /--url must begin with https/],
    [["--id", "a b"], /--id is missing/],
    [["--helo", "localhost"], /PROBE_HELO is localhost/],
    [["--trust", "nonsense"], /--trust cannot be read/],
    [["--region", "eu#1"], /PROBE_REGION has a character/],
  ] as [string[], RegExp, Record<string, string>?][])("%j is refused", async (args, expected, env) => {
    const { code, err } = await run(["enrol", ...IDENTITY, ...NAMES, ...args], env)
    expect(code).toBe(1)
    expect(err).toMatch(expected)
  })
})

import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterEach, describe, expect, test } from "vitest"
import { generateKeyPair } from "../../schema/wire/keys.ts"
import { startStack } from "../../scripts/dev/stack.ts"
import { startSandbox } from "../../scripts/sandbox/main.ts"
import { modesIn } from "../support/deps/file-modes.ts"
import { alive, runToEnd, send } from "../support/stack/npm-start.ts"
import { until } from "../support/time/until.ts"

const folders: string[] = []
function dataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), "mailverdict-start-"))
  folders.push(folder)
  return folder
}
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

describe("npm start", () => {
  test.each(["SIGTERM", "SIGINT"] as const)("starts, answers, and ends every child on %s", async (signal) => {
    const folder = dataDir()
    writeFileSync(join(folder, "mailverdict.db"), "", { mode: 0o644 })
    chmodSync(folder, 0o755)
    const child = spawn("npm", ["start"], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: "0", DATA_DIR: folder },
      stdio: ["ignore", "pipe", "pipe"],
      // A separate process group, as in a terminal: Ctrl+C reaches every process of the group at once.
      detached: true,
    })
    const output: string[] = []
    const url = await new Promise<string>((resolve, reject) => {
      const read = (line: string) => {
        output.push(line)
        const found = /running at (http:[^\s"]+)/.exec(line)?.[1]
        if (found) resolve(found)
      }
      createInterface({ input: child.stdout }).on("line", read)
      createInterface({ input: child.stderr }).on("line", read)
      child.once("exit", (code) => reject(new Error(`npm start ended with ${code}:\n${output.join("\n")}`)))
    })
    const ended = new Promise((resolve) => child.once("close", resolve))
    const answer = await fetch(`${url}/validate?email=alice@mailbox.test`)
    expect(await answer.json()).toMatchObject({ status: "valid" })
    expect(alive(child.pid!).length).toBeGreaterThan(4)
    const open = Object.entries(modesIn(folder)).filter(([, mode]) => !mode.endsWith("00"))
    expect(open).toEqual([])
    expect(output).toContainEqual(expect.stringMatching(/mailverdict\.db was open to other users: .* now 600"/))

    if (signal === "SIGINT") process.kill(-child.pid!, signal)
    else child.kill(signal)
    await ended
    await expect.poll(() => alive(child.pid!)).toEqual([])
    expect(output.filter((line) => /^\s+at .*:\d+/.test(line))).toEqual([])
  })
})

function parentOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ")[1])
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return "" // ended meanwhile
  }
}

function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.startsWith("Z")
  } catch {
    return false
  }
}

/** All descendants of a process. */
function descendantsOf(pid: number): number[] {
  const all = readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter(isAlive)
  const children = all.filter((one) => parentOf(one) === pid)
  return [...children, ...children.flatMap(descendantsOf)]
}

/** Runs `npm start` on a new data folder until it ends. */
const run = (settings: Record<string, string>, act?: (group: number) => unknown, trigger?: RegExp) =>
  runToEnd({ DATA_DIR: dataDir(), ...settings }, act, trigger)
const isDatabase = (pid: string) => commandOf(pid).includes("libsql-server")
test.each(["SIGTERM", "SIGINT"] as const)("%s during the start ends every part", async (signal) => {
  const { code, out, err } = await run({}, send(signal))
  expect({ code, err }).toEqual({ code: 0, err: "" })
  expect(out).toContain(`${signal}: stopping before the start is complete`)
})

test("Ctrl+C that reaches a part before its parent, as on a busy machine, is a stop and no failure", async () => {
  const endDatabaseFirst = async (group: number) => {
    const database = await until(
      () => alive(group).find(isDatabase),
      (pid) => pid !== undefined,
    )
    process.kill(Number(database), "SIGINT")
    await until(
      () => alive(group),
      (pids) => !pids.includes(database!),
    )
    send("SIGINT")(group)
  }
  const { code, out, err } = await run({}, endDatabaseFirst, /starting database/)
  expect({ code, err }).toEqual({ code: 0, err: "" })
  expect(out).toContain("SIGINT: stopping before the start is complete")
})

test("a second signal, as npm forwards Ctrl+C, does not interrupt the stop", async () => {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, PORT: "0", DATA_DIR: dataDir() }
  const child = spawn("node", ["scripts/dev/start.ts"], { env, stdio: ["ignore", "pipe", "ignore"] })
  const lines: string[] = []
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line)
    if (/running at|SIGINT: stopping/.test(line)) child.kill("SIGINT")
  })
  expect(await once(child, "close")).toEqual([0, null])
  expect(JSON.parse(lines.at(-1)!)).toEqual({ source: "start", message: "stopped" })
})

test("SIGKILL of the parent ends every part", async () => {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, PORT: "0", DATA_DIR: dataDir() }
  const child = spawn("node", ["scripts/dev/start.ts"], { env, stdio: ["ignore", "pipe", "ignore"] })
  for await (const line of createInterface({ input: child.stdout })) if (/running at/.test(line)) break
  const parts = descendantsOf(child.pid!)
  expect(parts.length).toBeGreaterThan(4)
  child.kill("SIGKILL")
  await expect.poll(() => parts.filter(isAlive)).toEqual([])
})

test("without the sandbox the output does not mention it, and names the secrets file", async () => {
  const folder = dataDir()
  const { out } = await run({ SANDBOX: "0", DATA_DIR: folder }, send("SIGTERM"), /running at/)
  expect(out).toContain(join(folder, "secrets.json"))
  // The node's doctor may report its sandbox name by then.
  expect(out.replace(/^.*"probe-node".*$/gm, "")).not.toMatch(/sandbox|\.test\b/i)
})

/** The parts whose ports a start prints. */
const PARTS = ["api", "database", "node", "smtp", "dns", "doh"]

test("without a terminal every line of the log is JSON, and no sign-in link is in it", async () => {
  const { out } = await run({}, send("SIGTERM"), /running at/)
  const lines = out.split("\n").filter((line) => line !== "" && !line.startsWith(">"))
  const events = lines.map((line) => JSON.parse(line) as { event?: string; url?: string; ports?: { api: number } })
  const started = events.find(({ event }) => event === "started")
  expect(started?.url).toBe(`http://127.0.0.1:${started?.ports?.api}`)
  expect(started?.ports).toEqual(Object.fromEntries(PARTS.map((part) => [part, expect.any(Number)])))
  expect(out).not.toContain("#/sign-in/")
})

test("a person gets a box with the URLs, and a link that signs in once", async () => {
  const answers: number[] = []
  const child = spawn("npm", ["start"], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: "0", DATA_DIR: dataDir(), LOG_FORMAT: "readable" },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  })
  const output: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    output.push(line)
    const [, url, token] = /(http:\S+)\/console\/#\/sign-in\/(\S+) {2}/.exec(line) ?? []
    if (!url) continue
    for (const _ of ["first", "second"]) {
      const headers = { "content-type": "application/json" }
      const body = JSON.stringify({ token })
      answers.push((await fetch(`${url}/auth/verify`, { method: "POST", headers, body })).status)
    }
    process.kill(-child.pid!, "SIGTERM")
  }
  expect(answers).toEqual([200, 401])
  expect(output.join("\n")).toMatch(/╭─ Mailverdict is running at http:\S+ ─*╮/)
  expect(output.join("\n")).toMatch(/^The start took [1-9]\d* s\. The sign-in link works once/m)
  expect(output.join("\n")).toMatch(/^\d\d:\d\d:\d\d {2}200 {2}POST {3}\/auth\/verify {2}\d+ ms$/m)
  await expect.poll(() => alive(child.pid!)).toEqual([])
})

test("a part that ends unexpectedly ends the whole stack with exit code 1", async () => {
  const endDatabase = (group: number) => process.kill(Number(alive(group).find(isDatabase)), "SIGKILL")
  const { code, out } = await run({}, endDatabase, /running at/)
  expect(code).toBe(1)
  expect(out).toMatch(/"database ended unexpectedly [^"]*: stopping"/)
})

test("all invalid settings and unknown names are reported, and nothing is started", () => {
  const cwd = dataDir()
  const invalid = ["LIMITS=foo", "KEY_PEPPER=short", "CRON_MINUTE_MS=soon", "HOST=0.0.0.0"]
  writeFileSync(join(cwd, ".env"), ["CLIENT_IP_HEADRE=x-real-ip", "PROBE_RATE=5", ...invalid, ""].join("\n"))
  const start = fileURLToPath(new URL("../../scripts/dev/start.ts", import.meta.url))
  const env = { PATH: process.env.PATH }
  const { status, stdout, stderr } = spawnSync(process.execPath, [start], { cwd, env, encoding: "utf8" })
  // EX_CONFIG: the unit does not start it again.
  expect(status).toBe(78)
  for (const name of ["LIMITS", "KEY_PEPPER", "CRON_MINUTE_MS", "HOST"])
    expect(stderr).toMatch(new RegExp(`^  ${name}: `, "m"))
  expect(stderr).toMatch(/^\.env: CLIENT_IP_HEADRE is not a setting/m)
  expect(stderr).not.toContain("PROBE_RATE")
  expect(stdout).not.toContain("starting")
})

test("a taken port is reported in a sentence, and no process remains", async () => {
  const taken = createServer().listen(0, "127.0.0.1")
  await once(taken, "listening")
  const { port } = taken.address() as AddressInfo
  const { code, err } = await run({ LIBSQL_PORT: String(port) })
  taken.close()
  expect(code).toBe(1)
  expect(err).toMatch(/^Cannot start\. Port \d+ \(database\) is taken: .*set LIBSQL_PORT .*: `PORT=0 npm start`/s)
  expect(err).not.toMatch(/^\s+at .*:\d+/m)
})

test("a private network needs only settings, and edge and node work with keys from settings", async () => {
  const [edge, node, another] = await Promise.all(["edge-2", "node-2", "edge-3"].map(generateKeyPair))
  const network = await startSandbox({
    smtpPort: 0,
    dnsPort: 0,
    dohPort: 0,
    greylistSeconds: 300,
    latencyMs: 0,
    upstream: [],
  })
  const stack = await startStack({
    port: 0,
    dataDir: dataDir(),
    sandbox: false,
    settings: {
      DOH_URL: network.dohUrl,
      PROBE_DNS: network.dnsAddress,
      PROBE_SMTP_PORT: String(network.smtpPort),
      PROBE_ALLOW_PRIVATE: "1",
      PROBE_SOURCE_IPS: "127.0.0.1",
      PROBE_DOCTOR_HOSTS: "mailbox.test",
      EDGE_SIGNING_KEY: edge!.signingKey,
      PROBE_SIGNING_KEY: node!.signingKey,
      // Settings of a node elsewhere. The local node ignores them.
      PROBE_TRUSTED_KEYS: another!.publicKey,
      PROBE_PUBLIC_URL: "https://probe.example.com",
    },
    build: false,
    onLog: () => undefined,
    onStep: () => undefined,
  })
  try {
    const verdict = async (email: string) =>
      (await (await fetch(`${stack.url}/validate?email=${email}`)).json()) as object
    expect(await verdict("alice@mailbox.test")).toMatchObject({ status: "valid", smtp_response_code: "250" })
    expect(await verdict("nobody@mailbox.test")).toMatchObject({ status: "invalid", sub_status: "mailbox_not_found" })
    // What nobody configured is missing by name.
    for (const path of ["/auth/google/config", "/auth/google/me"]) {
      const answer = await fetch(`${stack.url}${path}`)
      expect({ path, status: answer.status }).toEqual({ path, status: 503 })
      expect(await answer.json()).toMatchObject({
        detail: expect.stringContaining("GOOGLE_CLIENT_ID"),
        code: "not_configured",
      })
    }
  } finally {
    await stack.stop()
    await network.stop()
  }
})

import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterEach, describe, expect, test } from "vitest"
import { generateKeyPair } from "../../schema/wire/keys.ts"
import { startSandbox } from "../../scripts/sandbox.ts"
import { startStack } from "../../scripts/stack.ts"

const folders: string[] = []
function dataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), "mailverdict-start-"))
  folders.push(folder)
  return folder
}
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** Live processes of a group: everything `npm start` has started. */
function alive(group: number): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      const [state, , pgrp] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ")
      return state !== "Z" && Number(pgrp) === group
    } catch {
      return false
    }
  })
}

describe("npm start", () => {
  test.each(["SIGTERM", "SIGINT"] as const)(
    "comes up, answers, and %s ends every child",
    async (signal) => {
      const child = spawn("npm", ["start"], {
        env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: "0", DATA_DIR: dataDir() },
        stdio: ["ignore", "pipe", "pipe"],
        // A group of its own, as a terminal makes it: ^C reaches every process of the group at once.
        detached: true,
      })
      const output: string[] = []
      const url = await new Promise<string>((resolve, reject) => {
        const read = (line: string) => {
          output.push(line)
          const found = /running at (http:\S+)/.exec(line)?.[1]
          if (found) resolve(found)
        }
        createInterface({ input: child.stdout }).on("line", read)
        createInterface({ input: child.stderr }).on("line", read)
        child.once("exit", (code) => reject(new Error(`npm start ended with ${code}:\n${output.join("\n")}`)))
      })
      const ended = new Promise((resolve) => child.once("exit", resolve))
      const answer = await fetch(`${url}/validate?email=alice@mailbox.test`)
      expect(await answer.json()).toMatchObject({ status: "valid" })
      expect(alive(child.pid!).length).toBeGreaterThan(4)

      if (signal === "SIGINT") process.kill(-child.pid!, signal)
      else child.kill(signal)
      await ended
      await expect.poll(() => alive(child.pid!), { timeout: 10_000 }).toEqual([])
      expect(output.filter((line) => /^\s+at .*:\d+/.test(line))).toEqual([])
    },
    60_000,
  )
})

const isDatabase = (pid: string) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("libsql-server")
const send = (signal: "SIGINT" | "SIGTERM") => (group: number) => void process.kill(-group, signal)

/** `npm start` that ends by itself, or by what is done to its processes as soon as it says something. @param words what that is */
async function startInVain(settings: Record<string, string>, act?: (group: number) => void, words = /^\.\.\. /m) {
  const child = spawn("npm", ["start"], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: "0", DATA_DIR: dataDir(), ...settings },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  })
  const said = { out: "", err: "" }
  child.stderr.on("data", (chunk) => {
    said.err += String(chunk)
  })
  // Once: a second one would meet npm itself on its way out.
  let due = act
  child.stdout.on("data", (chunk) => {
    said.out += String(chunk)
    if (!due || !words.test(said.out)) return
    due(child.pid!)
    due = undefined
  })
  const [code] = await once(child, "close")
  await expect.poll(() => alive(child.pid!), { timeout: 10_000 }).toEqual([])
  return { code, ...said }
}

test.each(["SIGTERM", "SIGINT"] as const)(
  "%s while it is still starting is heard, and ends every part",
  async (signal) => {
    const { code, out, err } = await startInVain({}, send(signal))
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toContain(`${signal}: stopping while still starting`)
  },
  40_000,
)

test("^C that a part hears before its starter, as on a busy machine, is a stop and no failure", async () => {
  const endDatabaseFirst = (group: number) => {
    const database = alive(group).find(isDatabase)
    if (database === undefined) return void setTimeout(endDatabaseFirst, 2, group)
    process.kill(Number(database), "SIGINT")
    setTimeout(send("SIGINT"), 30, group)
  }
  const { code, out, err } = await startInVain({}, endDatabaseFirst, /starting database/)
  expect({ code, err }).toEqual({ code: 0, err: "" })
  expect(out).toContain("SIGINT: stopping while still starting")
}, 40_000)

test("a second signal, as npm passes on what a terminal has told everybody, does not cut the stop off", async () => {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, PORT: "0", DATA_DIR: dataDir() }
  const child = spawn("node", ["scripts/start.ts"], { env, stdio: ["ignore", "pipe", "ignore"] })
  const said: string[] = []
  createInterface({ input: child.stdout }).on("line", (line) => {
    said.push(line)
    if (/running at|SIGINT: stopping/.test(line)) child.kill("SIGINT")
  })
  expect(await once(child, "close")).toEqual([0, null])
  expect(said.at(-1)).toBe("Stopped.")
}, 40_000)

test("without the sandbox nothing is said of one; where the secrets are is", async () => {
  const folder = dataDir()
  const { out } = await startInVain({ SANDBOX: "0", DATA_DIR: folder }, send("SIGTERM"), /validate\?email=/)
  expect(out).toContain(join(folder, "secrets.json"))
  // The node beside it may have found something wrong with its name by then.
  expect(out.replace(/^probe-node .*$/gm, "")).not.toMatch(/sandbox|\.test\b/i)
}, 40_000)

test("a part that ends by itself ends all of them, and with 1, so that whoever watches starts anew", async () => {
  const endDatabase = (group: number) => process.kill(Number(alive(group).find(isDatabase)), "SIGKILL")
  const { code, out } = await startInVain({}, endDatabase, /no-1@d0042/)
  expect(code).toBe(1)
  expect(out).toMatch(/^database ended by itself .*: stopping$/m)
}, 40_000)

test("settings that cannot be used are told by name, all of them, and names that are none; nothing is started", () => {
  const cwd = dataDir()
  const unusable = ["LIMITS=foo", "KEY_PEPPER=short", "CRON_MINUTE_MS=soon"]
  writeFileSync(join(cwd, ".env"), ["CLIENT_IP_HEADRE=x-real-ip", "PROBE_RATE=5", ...unusable, ""].join("\n"))
  const start = fileURLToPath(new URL("../../scripts/start.ts", import.meta.url))
  const env = { PATH: process.env.PATH }
  const { status, stdout, stderr } = spawnSync(process.execPath, [start], { cwd, env, encoding: "utf8" })
  expect(status).toBe(1)
  for (const name of ["LIMITS", "KEY_PEPPER", "CRON_MINUTE_MS"]) expect(stderr).toMatch(new RegExp(`^  ${name}: `, "m"))
  expect(stderr).toMatch(/^\.env: CLIENT_IP_HEADRE is no setting of ours$/m)
  expect(stderr).not.toContain("PROBE_RATE")
  expect(stdout).not.toContain("...")
})

test("a port that is taken is told in a sentence, and nothing is left behind", async () => {
  const taken = createServer().listen(0, "127.0.0.1")
  await once(taken, "listening")
  const { port } = taken.address() as AddressInfo
  const { code, err } = await startInVain({ LIBSQL_PORT: String(port) })
  taken.close()
  expect(code).toBe(1)
  expect(err).toContain("`PORT=0 npm start` takes free ports")
  expect(err).not.toMatch(/^\s+at .*:\d+/m)
}, 40_000)

test("a private network works by settings alone, and keys of one's own keep edge and node together", async () => {
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
      EDGE_SIGNING_KEY: edge!.signingKey,
      PROBE_SIGNING_KEY: node!.signingKey,
      // Of a node elsewhere; the one beside the edge trusts it, and is called where it listens.
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
  } finally {
    await stack.stop()
    await network.stop()
  }
}, 60_000)

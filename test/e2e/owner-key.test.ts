import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { startSandbox } from "../../scripts/sandbox/main.ts"

const project = fileURLToPath(new URL("../..", import.meta.url))
const ADMIN_SECRET = "of-the-operator".repeat(3)

let network: Awaited<ReturnType<typeof startSandbox>>
let folder: string
let dataDir: string
let settings: Record<string, string>
let running: { child: ChildProcess; url: string; log: string[] } | null = null

beforeAll(async () => {
  const none = { smtpPort: 0, dnsPort: 0, dohPort: 0, greylistSeconds: 300, latencyMs: 0, upstream: [] }
  network = await startSandbox(none)
  folder = mkdtempSync(join(tmpdir(), "mailverdict-owner-"))
  dataDir = join(folder, "data")
  writeFileSync(join(folder, "admin-secret"), `${ADMIN_SECRET}\n`)
  settings = {
    ...{ PATH: process.env.PATH ?? "", HOME: folder, PORT: "0", DATA_DIR: dataDir, SANDBOX: "0" },
    ...{ DOH_URL: network.dohUrl, PROBE_DNS: network.dnsAddress, PROBE_SMTP_PORT: String(network.smtpPort) },
    ...{ PROBE_ALLOW_PRIVATE: "1", PROBE_SOURCE_IPS: "127.0.0.1", PROBE_DOCTOR_HOSTS: "mailbox.test" },
    ...{ PROBE_HELO: "probe1.example.com", PROBE_MAIL_FROM: "probe@example.com", GRAVATAR_URL: "" },
    ...{ ADMIN_SECRET_FILE: join(folder, "admin-secret"), OWNER_EMAIL: "owner@example.org" },
  }
})
afterEach(stop)
afterAll(async () => {
  await network.stop()
  rmSync(folder, { recursive: true })
})

/** Starts one's own service on the data folder, as a process manager does: without a terminal. */
async function start(): Promise<{ url: string; log: string[] }> {
  const child = spawn(process.execPath, [`${project}scripts/dev/start.ts`], {
    cwd: folder,
    env: settings,
    stdio: ["ignore", "pipe", "inherit"],
  })
  const log: string[] = []
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      log.push(line)
      const found = /"running at (http:[^\s"]+)"/.exec(line)?.[1]
      if (found) resolve(found)
    })
    child.once("exit", (code) => reject(new Error(`ended with ${code}:\n${log.join("\n")}`)))
  })
  running = { child, url, log }
  return running
}

async function stop(): Promise<void> {
  if (!running) return
  const { child } = running
  running = null
  child.kill("SIGTERM")
  await once(child, "close")
}

/** Runs a command of the operator. @returns what a script would read, and the exit code */
async function operator(script: "keys" | "sign-in", ...args: string[]) {
  const ran = promisify(execFile)("npm", ["run", "-s", script, "--", ...args], { cwd: project, env: settings })
  return ran.then(
    ({ stdout }) => ({ code: 0, out: stdout.trim(), err: "" }),
    ({ code, stdout, stderr }) => ({ code, out: String(stdout).trim(), err: String(stderr).trim() }),
  )
}

const call = async (at: string, headers: Record<string, string>, body?: object) => {
  const init = body ? { method: "POST", body: JSON.stringify(body) } : {}
  const response = await fetch(`${running!.url}${at}`, {
    ...init,
    headers: { "content-type": "application/json", ...headers },
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

describe("one's own service", () => {
  let key = ""
  let account = ""

  test("writes the owner's key to a file at its first start, and no secret into the log", async () => {
    const { log } = await start()
    const file = join(dataDir, "owner-key")
    key = readFileSync(file, "utf8").trim()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(log.join("\n")).toContain(`the owner's API key, without limits, is in ${file}`)
    expect(log.join("\n")).not.toMatch(/mv_live_|#\/sign-in\//)
    const me = await call("/auth/me", { "x-api-key": key })
    expect(me.body).toMatchObject({ email: "owner@example.org", tier: "unlimited" })
    account = String(me.body.account_id)
    const usage = await call("/usage", { "x-api-key": key })
    expect(usage.body).toMatchObject({ credits_limit: null, credits_available: null })

    // A call with limits states them, such as 500 a minute for customers.
    const policyOf = async (headers: Record<string, string>) => {
      const answer = await fetch(`${running!.url}/validate?email=alice@mailbox.test`, { headers })
      return [answer.status, answer.headers.get("ratelimit-policy"), answer.headers.get("ratelimit")]
    }
    expect(await policyOf({})).toEqual([200, expect.stringContaining('"rpm";q='), expect.any(String)])
    expect(await policyOf({ "x-api-key": key })).toEqual([200, null, null])
  })

  test("creates no second key at its second start, and a revoked key does not come back", async () => {
    rmSync(join(dataDir, "owner-key"))
    await start()
    const keyId = String((await call("/auth/me", { "x-api-key": key })).body.key_id)
    expect(await operator("keys", "revoke", keyId)).toMatchObject({ code: 0, out: `Revoked ${keyId} of ${account}.` })
    expect((await call("/auth/me", { "x-api-key": key })).status).toBe(401)
    await stop()
    const { log } = await start()
    expect(log.join("\n")).not.toContain("API key")
    expect(existsSync(join(dataDir, "owner-key"))).toBe(false)
    const listed = await operator("keys", "list", "--json")
    expect(JSON.parse(listed.out)).toMatchObject({ key_id: keyId, is_active: 0, account_id: account })
  })

  test("gives its operator keys of every tier, also for other accounts", async () => {
    await start()
    const tierOf = async (secret: string) => (await call("/auth/me", { "x-api-key": secret })).body
    const own = await operator("keys", "create", "--tier", "unlimited", "--name", "again")
    expect(await tierOf(own.out)).toMatchObject({ account_id: account, tier: "unlimited" })
    const customer = await operator("keys", "create", "--tier", "pro", "--email", "customer@example.org")
    const found = await tierOf(customer.out)
    expect(found).toMatchObject({ email: "customer@example.org", tier: "pro" })
    const further = await operator("keys", "create", "--tier", "free", "--account", String(found.key_id))
    expect(await tierOf(further.out)).toMatchObject({ account_id: found.account_id, tier: "free" })
    const upgraded = await operator("keys", "upgrade", String(found.account_id), "enterprise")
    expect(upgraded.out).toBe(`${found.account_id}: plan enterprise, before pro.`)
    expect(await tierOf(customer.out)).toMatchObject({ tier: "enterprise" })
    const listed = await operator("keys", "list", "--search", "customer@")
    expect(listed.out.split("\n")).toHaveLength(3)
    expect(listed.out).not.toContain("mv_live_")
    expect(await operator("keys", "create", "--tier", "gold")).toMatchObject({ code: 1 })
  })

  test("lets its owner sign in to the console without a mail service, with a fresh link each time", async () => {
    await start()
    const [first, second] = [await operator("sign-in"), await operator("sign-in")]
    expect(first.out).not.toBe(second.out)
    for (const { out } of [first, second]) {
      const token = /^http:\S+\/console\/#\/sign-in\/([\w-]+)$/.exec(out)?.[1]
      const signedIn = await call("/auth/verify", {}, { token })
      expect(signedIn.body).toMatchObject({ account_id: account, email: "owner@example.org" })
      const session = { authorization: `Bearer ${signedIn.body.session_token}` }
      expect((await call("/usage", session)).body).toMatchObject({ tier: "unlimited", credits_limit: null })
    }
    expect((await operator("sign-in", "--account", "nobody@example.org")).err).toMatch(/no account has proven/)
  })

  test("of which only the record is left sends no secret to the program that now has its port", async () => {
    const requests: string[] = []
    const other = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`)
      response.end("{}")
    })
    await once(other.listen(0, "127.0.0.1"), "listening")
    const { port } = other.address() as AddressInfo
    const { pid } = spawnSync(process.execPath, ["--version"])
    const record = { url: `http://127.0.0.1:${port}`, owner: { email: "owner@example.org", tier: "unlimited" }, pid }
    writeFileSync(join(dataDir, "service.json"), JSON.stringify(record))
    expect((await operator("keys", "list")).err).toMatch(/^no service runs on the data folder/)
    expect(requests).toEqual([])
    rmSync(join(dataDir, "service.json"))
    other.close()
  })

  test("is not reached while it is stopped, and no other host gets its secret", async () => {
    expect(await operator("sign-in")).toMatchObject({
      code: 1,
      err: `no service runs on the data folder ${dataDir}: start it, or name its URL by --base-url`,
    })
    const { ADMIN_SECRET_FILE: _, ...others } = settings
    settings = others
    expect((await operator("keys", "list", "--base-url", "https://api.example.com")).err).toBe(
      "ADMIN_SECRET is not set: set it to the secret of the service at https://api.example.com",
    )
  })
})

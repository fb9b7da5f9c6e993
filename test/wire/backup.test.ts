import { execFile } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import Database from "libsql"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { backUp } from "../../scripts/data/backup.ts"
import { localSecrets } from "../../scripts/data/data-files.ts"
import { restore } from "../../scripts/data/restore.ts"
import { type Stack, startStack } from "../../scripts/dev/stack.ts"
import { modesIn } from "../support/deps/file-modes.ts"

const ADDRESSES = 3_000
const root = new URL("../../", import.meta.url).pathname
const run = promisify(execFile)

interface Job {
  readonly status: string
  readonly progress: number
  readonly failed: number
  readonly results: { readonly checks: { readonly email: string; readonly status: string } }[] | null
}

let directory: string
let dataDir: string
let stack: Stack | null = null

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "mailverdict-backup-"))
  dataDir = join(directory, "data")
})
afterEach(async () => {
  await stack?.stop()
  stack = null
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const start = () =>
  startStack({
    ...{ port: 0, dataDir, sandbox: true, build: false, onLog: () => undefined, onStep: () => undefined },
    settings: { BULK_LEASE_SECONDS: "5", BULK_RETRY_SECONDS: "1,1", CRON_MINUTE_MS: "500", SANDBOX_LATENCY_MS: "5" },
  })
const script = (name: string, ...words: string[]) =>
  run(process.execPath, [join(root, "scripts/data", name), ...words], { env: { ...process.env, DATA_DIR: dataDir } })

async function call<T>(path: string, { key, body, admin }: { key?: string; body?: unknown; admin?: string } = {}) {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    ...(key ? { "x-api-key": key } : {}),
    ...(admin ? { "x-admin-secret": admin } : {}),
  }
  const response = await fetch(`${stack!.url}${path}`, {
    headers,
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as T }
}

test("a backup taken during a job is restored, and the job completes and is billed once", async () => {
  stack = await start()
  const made = await call<{ api_key: string }>("/keys", {
    body: { name: "backup", owner_email: "owner@mailbox.test", tier: "enterprise" },
    admin: stack.secrets.adminSecret,
  })
  const key = made.body.api_key
  await call("/suppression/add", { key, body: { email: "user1@d0400.test", reason: "unsubscribe" } })
  const emails = Array.from({ length: ADDRESSES }, (_, n) => `user${n}@d${String(n % 300).padStart(4, "0")}.test`)
  const { body } = await call<{ job_id: string }>("/validate/bulk/async", { key, body: { emails } })
  const at = `/jobs/${body.job_id}`
  const progress = async () => (await call<Job>(`${at}?limit=1`, { key })).body.progress
  await expect.poll(progress).toBeGreaterThan(ADDRESSES / 10)

  const backup = join(directory, "backup")
  await script("backup.ts", backup)
  const later = (
    await call<{ api_key: string }>("/keys", {
      body: { name: "later", owner_email: "later@mailbox.test" },
      admin: stack.secrets.adminSecret,
    })
  ).body.api_key
  await expect(script("restore.ts", backup)).rejects.toThrow(/another service uses the data folder .*: stop it/)
  await stack.stop()

  await script("restore.ts", backup)
  stack = await start()
  expect((await call("/usage", { key: later })).status).toBe(401)
  const job = async () => (await call<Job>(at, { key })).body
  await expect.poll(async () => (await job()).status, { timeout: 90_000, interval: 250 }).toBe("complete")
  const ended = await job()
  expect(ended.results!.map(({ checks }) => checks.email)).toEqual(emails)
  const used = async () => (await call<{ credits_used: number }>("/usage", { key })).body.credits_used
  const known = ended.results!.filter(({ checks }) => checks.status !== "unknown").length
  expect(known + ended.failed).toBe(ADDRESSES)
  await expect.poll(used).toBeLessThanOrEqual(known)

  // The edge has lost its flags. The new verification gives it the result again.
  await call("/validate?email=user1@d0400.test", { key })
  const fast = () => call<{ checks?: { can_send: boolean } }>("/validate/fast?email=user1@d0400.test", { key })
  await expect.poll(async () => (await fast()).body.checks?.can_send).toBe(false)
})

test("a restore without disk space leaves the existing files", async () => {
  const backup = join(directory, "roomless")
  await script("backup.ts", backup)
  const noRoom = join(dataDir, "mailverdict.db.unfinished")
  const before = readdirSync(dataDir).toSorted()
  mkdirSync(noRoom)
  await expect(script("restore.ts", backup)).rejects.toThrow(/mailverdict\.db\.unfinished/)
  expect(
    readdirSync(dataDir)
      .filter((name) => join(dataDir, name) !== noRoom)
      .toSorted(),
  ).toEqual(before)
  rmSync(noRoom, { recursive: true, force: true })
})

test("the folder that .env names is backed up and restored", async () => {
  const at = mkdtempSync(join(directory, "clone-"))
  writeFileSync(join(at, ".env"), `DATA_DIR=${dataDir}\n`)
  const { DATA_DIR: _, ...env } = process.env
  const here = (name: string, ...words: string[]) =>
    run(process.execPath, [join(root, "scripts/data", name), ...words], { cwd: at, env })
  await here("backup.ts", "one")
  expect((await here("restore.ts", "one")).stdout).toContain(dataDir)
  expect(readdirSync(at).toSorted()).toEqual([".env", "one"])
})

test("an invalid backup is refused, and nothing changes", async () => {
  const fake = join(directory, "fake")
  await script("backup.ts", fake)
  writeFileSync(join(fake, "mailverdict.db"), "no database")
  const before = readdirSync(dataDir)
  await expect(script("restore.ts", fake)).rejects.toThrow()
  await expect(script("restore.ts", join(directory, "nothing"))).rejects.toThrow(/no backup/)
  await expect(script("backup.ts", fake)).rejects.toThrow(/already exists/)
  expect(readdirSync(dataDir)).toEqual(before)
  expect(existsSync(join(directory, "fake.unfinished"))).toBe(false)
})

test("on another machine the restored folder is open to its owner only", async () => {
  const backup = join(directory, "brought")
  mkdirSync(backup)
  const database = new Database(join(backup, "mailverdict.db"))
  database.exec("CREATE TABLE addresses (address TEXT)")
  database.close()
  await localSecrets(backup)
  for (const name of ["mailverdict.db", "secrets.json"]) chmodSync(join(backup, name), 0o644)
  const fresh = join(directory, "fresh", "data")
  await restore(backup, { dataDir: fresh, settings: {} })
  expect(modesIn(fresh)).toEqual({ ".": "700", "mailverdict.db": "600", "secrets.json": "600" })
  await backUp({ dataDir: fresh, settings: {} }, join(directory, "again"))
  expect(modesIn(join(directory, "again"))).toEqual({ ".": "700", "mailverdict.db": "600", "secrets.json": "600" })
})

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { workerdOf } from "../../scripts/bench/process-stats.ts"
import { type Stack, startStack } from "../../scripts/dev/stack.ts"
import { type DatabaseServer, startDatabaseServer } from "../support/stack/database-server.ts"
import { FaultProxy } from "../support/stack/fault-proxy.ts"

const dataDir = mkdtempSync(join(tmpdir(), "mailverdict-outage-"))
let database: DatabaseServer
/** Keeps the database's address while the database is away. */
let proxy: FaultProxy
let stack: Stack
let key: string

/** Nothing listens here. */
const NOWHERE = "127.0.0.1:1"
const get = (path: string) => fetch(`${stack.url}${path}`, { headers: { "x-api-key": key } })
const hostOf = ({ url }: DatabaseServer) => new URL(url).host

beforeAll(async () => {
  database = await startDatabaseServer(dataDir)
  proxy = await FaultProxy.start(hostOf(database))
  stack = await startStack({
    port: 0,
    dataDir,
    sandbox: true,
    settings: { LIBSQL_URL: proxy.url, LIBSQL_AUTH_TOKEN: database.authToken, ADMIN_SECRET: "a".repeat(40) },
    build: false,
    onLog: () => undefined,
    onStep: () => undefined,
  })
  const made = await fetch(`${stack.url}/keys`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-admin-secret": "a".repeat(40) },
    body: JSON.stringify({ name: "outage", owner_email: "owner@mailbox.test", tier: "enterprise" }),
  })
  key = ((await made.json()) as { api_key: string }).api_key
})
afterAll(async () => {
  await stack.stop()
  await proxy.stop()
  await database.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

const health = () => fetch(`${stack.url}/health`)
const healthStatus = () =>
  health().then(
    ({ status }) => status,
    () => "no answer",
  )

async function restartWorkerd(): Promise<void> {
  process.kill(workerdOf(process.pid), "SIGKILL")
  await expect.poll(healthStatus).toBe(503)
}

test("without the database cached results are served, other calls are 503, no false result is stored, and it recovers by itself", async () => {
  expect(await (await get("/validate?email=alice@mailbox.test")).json()).toMatchObject({ status: "valid" })
  expect((await get("/validate/fast?email=alice@mailbox.test")).status).toBe(200)

  proxy.target = NOWHERE
  await database.stop()
  // The key is still known, and these calls start their answer before they have read everything.
  for (const path of ["/suppression/export", "/gdpr/export?email=alice@mailbox.test"])
    expect([path, (await get(path)).status]).toEqual([path, 503])
  await restartWorkerd() // so that no isolate and no limiter is in memory
  const hit = await get("/validate/fast?email=alice@mailbox.test")
  expect(hit.status).toBe(200)
  expect(await hit.json()).toMatchObject({ checks: { status: "valid", cached: true } })
  const cached = await get("/validate?email=alice@mailbox.test")
  expect([cached.status, await cached.json()]).toMatchObject([200, { status: "valid" }])
  for (const path of [
    "/validate/fast?email=bob@mailbox.test",
    "/validate?email=bob@mailbox.test",
    "/keys",
    "/auth/me",
  ]) {
    const answer = await get(path)
    expect([path, answer.status]).toEqual([path, 503])
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
    expect(await answer.json()).toEqual({ detail: expect.stringContaining("does not answer"), code: "unavailable" })
  }
  const anonymous = await fetch(`${stack.url}/validate/fast?email=alice@mailbox.test`)
  expect(anonymous.status).toBe(200)
  const degraded = await health()
  expect(degraded.status).toBe(503)
  expect(await degraded.json()).toMatchObject({ status: "degraded", detail: "the database does not answer" })

  database = await startDatabaseServer(dataDir)
  proxy.target = hostOf(database)
  await expect.poll(async () => (await get("/validate/fast?email=bob@mailbox.test")).status).toBe(404)
  expect(await (await get("/validate?email=bob@mailbox.test")).json()).toMatchObject({ status: "valid" })
  // The result of a test of the database is five seconds old at most.
  await expect.poll(healthStatus).toBe(200)
})

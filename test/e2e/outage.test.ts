import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Stack, startStack } from "../../scripts/dev/stack.ts"
import { type DatabaseServer, startDatabaseServer } from "../support/stack/database-server.ts"

const dataDir = mkdtempSync(join(tmpdir(), "mailverdict-outage-"))
let database: DatabaseServer
let stack: Stack
/** A key in use, and one whose limiter has no lease to settle. */
let keys: { busy: string; idle: string }

const get = (path: string, key = keys.busy) => fetch(`${stack.url}${path}`, { headers: { "x-api-key": key } })

beforeAll(async () => {
  database = await startDatabaseServer(dataDir)
  stack = await startStack({
    port: 0,
    dataDir,
    sandbox: true,
    settings: { LIBSQL_URL: database.url, LIBSQL_AUTH_TOKEN: database.authToken, ADMIN_SECRET: "a".repeat(40) },
    build: false,
    onLog: () => undefined,
    onStep: () => undefined,
  })
  const newKey = async () => {
    const made = await fetch(`${stack.url}/keys`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-admin-secret": "a".repeat(40) },
      body: JSON.stringify({ name: "outage", owner_email: "owner@mailbox.test", tier: "enterprise" }),
    })
    return ((await made.json()) as { api_key: string }).api_key
  }
  keys = { busy: await newKey(), idle: await newKey() }
})
afterAll(async () => {
  await stack.stop()
  await database.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

/** Longer than workerd keeps an idle object in memory. */
const ASLEEP_MS = 12_000

test("without the database cached results are served, other calls are 503, no false result is stored, and it recovers by itself", async () => {
  expect(await (await get("/validate?email=alice@mailbox.test")).json()).toMatchObject({ status: "valid" })
  for (const key of [keys.busy, keys.idle])
    expect((await get("/validate/fast?email=alice@mailbox.test", key)).status).toBe(200)

  const port = Number(new URL(database.url).port)
  await database.stop()
  // The key is still known, and these calls start their answer before they have read everything.
  for (const path of ["/suppression/export", "/gdpr/export?email=alice@mailbox.test"])
    expect([path, (await get(path)).status]).toEqual([path, 503])
  await sleep(ASLEEP_MS) // the idle key's limiter is no longer in memory
  const hit = await get("/validate/fast?email=alice@mailbox.test", keys.idle)
  expect(hit.status).toBe(200)
  expect(await hit.json()).toMatchObject({ checks: { status: "valid", cached: true } })
  for (const path of [
    "/validate/fast?email=bob@mailbox.test",
    "/validate?email=bob@mailbox.test",
    "/keys",
    "/auth/me",
  ]) {
    const answer = await get(path, keys.idle)
    expect([path, answer.status]).toEqual([path, 503])
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
    expect(await answer.json()).toEqual({ detail: expect.stringContaining("does not answer") })
  }
  const anonymous = await fetch(`${stack.url}/validate/fast?email=alice@mailbox.test`)
  expect(anonymous.status).toBe(200)
  const health = await fetch(`${stack.url}/health`)
  expect(health.status).toBe(503)
  expect(await health.json()).toMatchObject({ status: "degraded", detail: "the database does not answer" })

  database = await startDatabaseServer(dataDir, port)
  await expect.poll(async () => (await get("/validate/fast?email=bob@mailbox.test")).status).toBe(404)
  expect(await (await get("/validate?email=bob@mailbox.test")).json()).toMatchObject({ status: "valid" })
  // The result of a test of the database is five seconds old at most.
  await expect.poll(async () => (await fetch(`${stack.url}/health`)).status, { timeout: 15_000 }).toBe(200)
}, 60_000)

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createClient } from "@libsql/client/web"
import { afterAll, expect, test } from "vitest"
import { freePort } from "../../scripts/dev/parts.ts"
import { startSqld } from "../support/sqld/sqld.ts"

const folder = mkdtempSync(join(tmpdir(), "mailverdict-sqld-durability-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const rowsOf = async (server: { url: string; authToken: string }, sql: string) =>
  (await createClient(server).execute(sql)).rows

test("SIGKILL loses no acknowledged row", async () => {
  const at = join(folder, "killed")
  const first = await startSqld({ folder: at })
  const client = createClient(first)
  await client.execute("CREATE TABLE entry (id INTEGER PRIMARY KEY)")
  for (let id = 1; id <= 100; id++) await client.execute({ sql: "INSERT INTO entry VALUES (?)", args: [id] })
  await first.kill()
  const second = await startSqld({ folder: at })
  expect(await rowsOf(second, "SELECT count(*) AS n, max(id) AS last FROM entry")).toEqual([{ n: 100, last: 100 }])
  await second.stop()
})

// As docs/self-hosting-database.md says: 1 is NORMAL, 2 is FULL. The mode is not stored.
test("commits are synced to disk only after the operator sets it, again after each start", async () => {
  const admin = `127.0.0.1:${await freePort("127.0.0.1")}`
  const start = () => startSqld({ folder: join(folder, "synced"), args: [`--admin-listen-addr=${admin}`] })
  const first = await start()
  expect(await rowsOf(first, "PRAGMA synchronous")).toEqual([{ synchronous: 1 }])
  const answer = await fetch(`http://${admin}/v1/namespaces/default/config`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ block_reads: false, block_writes: false, durability_mode: "strong" }),
  })
  expect(answer.status).toBe(200)
  expect(await rowsOf(first, "PRAGMA synchronous")).toEqual([{ synchronous: 2 }])
  await first.stop()
  const second = await start()
  expect(await rowsOf(second, "PRAGMA synchronous")).toEqual([{ synchronous: 1 }])
  await second.stop()
})

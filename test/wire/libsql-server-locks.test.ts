import { mkdtempSync, rmSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createClient } from "@libsql/client/web"
import Database from "libsql"
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest"
import { Connection } from "../../scripts/libsql-server/connection.ts"
import { type LibsqlServer, startLibsqlServer } from "../../scripts/libsql-server/main.ts"

const folder = mkdtempSync(join(tmpdir(), "libsql-"))
const file = join(folder, "x.db")
let server: LibsqlServer
let hasty: LibsqlServer

beforeAll(async () => {
  server = await startLibsqlServer({ file, synchronous: "normal", lockWaitMs: 60_000 })
  hasty = await startLibsqlServer({ file, synchronous: "normal", lockWaitMs: 100 })
})
afterAll(async () => {
  await server.stop()
  await hasty.stop()
  rmSync(folder, { recursive: true })
})

const connect = ({ url } = server) => createClient({ url })
const count = async () => (await connect().execute("SELECT count(*) AS n FROM entry")).rows[0]?.n
const insert = (by: string) => `INSERT INTO entry (by) VALUES ('${by}')`

beforeEach(async () => {
  await connect().executeMultiple("DROP TABLE IF EXISTS entry; CREATE TABLE entry (id INTEGER PRIMARY KEY, by TEXT)")
})

/** Resolves when a request has failed twice to get the lock, so that it waits. */
async function untilOneWaits(): Promise<void> {
  const tries = vi.spyOn(Connection.prototype, "runRequest")
  await expect.poll(() => tries.mock.results.filter(({ type }) => type === "throw").length).toBeGreaterThan(1)
  tries.mockRestore()
}

/** Another connection holds SQLite's write lock while the work runs. */
async function whileLocked<T>(end: "COMMIT" | "ROLLBACK", work: () => Promise<T>): Promise<T> {
  const other = new Database(file)
  other.exec("BEGIN IMMEDIATE; INSERT INTO entry (by) VALUES ('other process')")
  try {
    return await work()
  } finally {
    other.exec(end)
    other.close()
  }
}

test.each([
  ["a statement", () => connect().execute(insert("server"))],
  ["a batch", () => connect().batch([insert("server")], "write")],
  ["a deferred batch that reads first", () => connect().batch(["SELECT * FROM entry", insert("server")], "deferred")],
  ["a migration", () => connect().migrate([insert("server")])],
  ["a sequence", () => connect().executeMultiple(`SELECT 1; ${insert("server")}`)],
])("%s waits for a writer in another process, and reads and the health check continue", async (_, write) => {
  let writing: Promise<unknown> | undefined
  await whileLocked("COMMIT", async () => {
    writing = write()
    await untilOneWaits()
    expect(await count()).toBe(0)
    expect((await fetch(`${server.url}/health`)).status).toBe(200)
  })
  await writing
  expect((await connect().execute("SELECT by FROM entry ORDER BY id")).rows.map(({ by }) => by)).toEqual([
    ...["other process", "server"],
  ])
})

test("after lockWaitMs a writer gets SQLITE_BUSY", async () => {
  const outcomes = await whileLocked("ROLLBACK", () =>
    Promise.allSettled([
      connect(hasty).execute(insert("late")),
      connect(hasty).batch([insert("late")], "write"),
      connect(hasty).batch(["SELECT 1", insert("late")], "deferred"),
    ]),
  )
  const busy = { status: "rejected", reason: { code: "SQLITE_BUSY" } }
  expect(outcomes).toMatchObject([busy, busy, busy])
  await connect().execute(insert("on time"))
  expect(await count()).toBe(1)
})

test("a client that disconnects while it waits does not write", async () => {
  await whileLocked("ROLLBACK", async () => {
    const body = JSON.stringify({ requests: [{ type: "execute", stmt: { sql: insert("gone") } }, { type: "close" }] })
    const gone = request(`${server.url}/v2/pipeline`, { method: "POST" })
    gone.on("error", () => undefined).end(body)
    await untilOneWaits()
    const ends = vi.spyOn(Connection.prototype, "synced")
    gone.destroy()
    // Its request ends while the lock is still held.
    await expect.poll(() => ends.mock.calls.length).toBe(1)
    ends.mockRestore()
  })
  await connect().execute(insert("after"))
  expect((await connect().execute("SELECT by FROM entry")).rows).toEqual([{ by: "after" }])
})

test("concurrent batches, some of which fail, preserve the sum", async () => {
  await connect().execute("INSERT INTO entry (id, by) VALUES (1, 500), (2, 500), (3, 500)")
  const transfer = (_: unknown, i: number) => {
    const [from, to] = [1 + (i % 3), 1 + ((i + 1 + (i % 2)) % 3)]
    const move = (id: number, by: number) => ({ sql: "UPDATE entry SET by = by + ? WHERE id = ?", args: [by, id] })
    const fail = i % 5 === 0 ? ["INSERT INTO entry (id) VALUES (1)"] : []
    return connect().batch([move(from, -i), ...fail, move(to, i)], i % 2 ? "write" : "deferred")
  }
  const outcomes = await Promise.allSettled(Array.from({ length: 60 }, transfer))
  expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(12)
  const { rows } = await connect().execute("SELECT sum(by) AS sum, count(DISTINCT by) AS parts FROM entry")
  expect(rows).toEqual([{ sum: 1500, parts: 3 }])
})

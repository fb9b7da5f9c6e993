import { mkdtempSync, rmSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { createClient } from "@libsql/client/web"
import Database from "libsql"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { type LibsqlServer, startLibsqlServer } from "../../scripts/libsql-server/main.ts"
import { firstSettled } from "../support/deps/first-settled.ts"

const folder = mkdtempSync(join(tmpdir(), "libsql-"))
const file = join(folder, "x.db")
const transactionMs = 300
const lockWaitMs = 1_500
let server: LibsqlServer

beforeAll(async () => {
  server = await startLibsqlServer({ file, synchronous: "normal", transactionMs, lockWaitMs })
})
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

const connect = () => createClient({ url: server.url })
const count = async (client: Pick<ReturnType<typeof connect>, "execute"> = connect()) =>
  (await client.execute("SELECT count(*) AS n FROM entry")).rows[0]?.n

beforeEach(async () => {
  await connect().executeMultiple("DROP TABLE IF EXISTS entry; CREATE TABLE entry (id INTEGER PRIMARY KEY, by TEXT)")
})

describe("isolation", () => {
  test("a transaction is invisible to others before its commit", async () => {
    const tx = await connect().transaction("write")
    await tx.execute("INSERT INTO entry (by) VALUES ('tx')")
    expect([await count(tx), await count()]).toEqual([1, 0])
    await tx.commit()
    expect(await count()).toBe(1)
  })

  test("a read transaction sees one snapshot", async () => {
    const tx = await connect().transaction("read")
    expect(await count(tx)).toBe(0)
    await connect().execute("INSERT INTO entry (by) VALUES ('other')")
    expect([await count(tx), await count()]).toEqual([0, 1])
    await tx.commit()
  })

  test("a write on a stale snapshot fails at once", async () => {
    const tx = await connect().transaction("deferred")
    await count(tx)
    await connect().execute("INSERT INTO entry (by) VALUES ('other')")
    await expect(tx.execute("INSERT INTO entry (by) VALUES ('stale')")).rejects.toMatchObject({ code: "SQLITE_BUSY" })
    // At once: the failed statement did not wait for its time limit.
    expect(await count(tx)).toBe(0)
    await tx.rollback()
  })

  test("rollback and close leave no rows", async () => {
    for (const end of ["rollback", "close"] as const) {
      const tx = await connect().transaction("write")
      await tx.execute("INSERT INTO entry (by) VALUES ('tx')")
      await tx[end]()
    }
    await connect().execute("INSERT INTO entry (by) VALUES ('after')")
    expect(await count()).toBe(1)
  })

  test("concurrent transfers, some of them rolled back, preserve the sum", async () => {
    await connect().execute("INSERT INTO entry (id, by) VALUES (1, 500), (2, 500), (3, 500)")
    const transfer = async (_: unknown, i: number) => {
      const tx = await connect().transaction("write")
      const [from, to] = [1 + (i % 3), 1 + ((i + 1 + (i % 2)) % 3)]
      const { rows } = await tx.execute({
        sql: "SELECT CAST(by AS INTEGER) AS sum FROM entry WHERE id = ?",
        args: [from],
      })
      await tx.execute({ sql: "UPDATE entry SET by = ? WHERE id = ?", args: [Number(rows[0]?.sum) - i, from] })
      if (i % 5 === 0) return tx.rollback()
      if (i % 17 === 0) return tx.close()
      await tx.execute({ sql: "UPDATE entry SET by = by + ? WHERE id = ?", args: [i, to] })
      await tx.commit()
    }
    await Promise.all(Array.from({ length: 60 }, transfer))
    const { rows } = await connect().execute("SELECT sum(by) AS sum, count(DISTINCT by) AS parts FROM entry")
    expect(rows).toEqual([{ sum: 1500, parts: 3 }])
  })
})

describe("one writer at a time", () => {
  test("writers are served in the order of their arrival", async () => {
    const order: number[] = []
    const first = await connect().transaction("write")
    await first.execute("INSERT INTO entry (by) VALUES ('first')")
    const others = Array.from({ length: 12 }, async (_, i) => {
      await sleep(5 * i)
      if (i % 2) await connect().execute({ sql: "INSERT INTO entry (by) VALUES (?)", args: [i] })
      else await connect().batch([{ sql: "INSERT INTO entry (by) VALUES (?)", args: [i] }], "write")
      order.push(i)
    })
    await sleep(120)
    expect(order).toEqual([])
    await first.commit()
    await Promise.all(others)
    const { rows } = await connect().execute("SELECT by FROM entry WHERE by <> 'first' ORDER BY id")
    expect(rows.map(({ by }) => Number(by))).toEqual(Array.from({ length: 12 }, (_, i) => i))
  })

  test("reads and the health check continue while writers wait", async () => {
    const tx = await connect().transaction("write")
    await tx.execute("INSERT INTO entry (by) VALUES ('tx')")
    const waiting = connect().execute("INSERT INTO entry (by) VALUES ('waiting')")
    const reads = Promise.all([count(), fetch(`${server.url}/health`)])
    expect(await firstSettled({ waiting, reads })).toBe("reads")
    expect((await reads)[0]).toBe(0)
    await tx.commit()
    await waiting
  })

  test("a writer in another process is awaited without blocking", async () => {
    const other = new Database(file)
    other.exec("BEGIN IMMEDIATE; INSERT INTO entry (by) VALUES ('other process')")
    const write = connect().execute("INSERT INTO entry (by) VALUES ('server')")
    await sleep(50)
    expect(await count()).toBe(0)
    other.exec("COMMIT")
    await write
    expect(await count()).toBe(2)
    other.close()
  })

  test("after lockWaitMs a writer gets SQLITE_BUSY", async () => {
    const other = new Database(file)
    other.exec("BEGIN IMMEDIATE")
    const writes = [1, 2].map(() => connect().execute("INSERT INTO entry (by) VALUES ('late')"))
    const outcomes = await Promise.allSettled(writes)
    expect(outcomes).toMatchObject([1, 2].map(() => ({ status: "rejected", reason: { code: "SQLITE_BUSY" } })))
    other.exec("ROLLBACK")
    other.close()
    await connect().execute("INSERT INTO entry (by) VALUES ('on time')")
  })
})

describe("time limits", () => {
  test("a transaction over its time limit is rolled back, and reported once", async () => {
    const tx = await connect().transaction("write")
    await tx.execute("INSERT INTO entry (by) VALUES ('slow')")
    await connect().execute("INSERT INTO entry (by) VALUES ('other')")
    await expect(tx.execute("INSERT INTO entry (by) VALUES ('slow')")).rejects.toMatchObject({
      code: "TRANSACTION_TIMEOUT",
    })
    await expect(tx.commit()).rejects.toThrow(/no transaction is active/)
    expect((await connect().execute("SELECT by FROM entry")).rows).toEqual([{ by: "other" }])
  })

  test("a transaction that waits too long for the lock is rolled back too", async () => {
    const other = new Database(file)
    other.exec("BEGIN IMMEDIATE")
    const tx = await connect().transaction("deferred")
    await expect(tx.execute("INSERT INTO entry (by) VALUES ('x')")).rejects.toMatchObject({
      code: "TRANSACTION_TIMEOUT",
    })
    other.exec("ROLLBACK")
    other.close()
    tx.close()
    expect(await count()).toBe(0)
  })

  test("a client that disconnects while it waits leaves the queue", async () => {
    const tx = await connect().transaction("write")
    await tx.execute("INSERT INTO entry (by) VALUES ('tx')")
    const body = JSON.stringify({
      requests: [{ type: "execute", stmt: { sql: "INSERT INTO entry (by) VALUES ('gone')" } }],
    })
    const gone = request(`${server.url}/v2/pipeline`, { method: "POST" })
    gone.on("error", () => undefined).end(body)
    await sleep(60)
    gone.destroy()
    await sleep(60)
    await tx.commit()
    await connect().execute("INSERT INTO entry (by) VALUES ('after')")
    expect((await connect().execute("SELECT by FROM entry")).rows).toEqual([{ by: "tx" }, { by: "after" }])
  })
})

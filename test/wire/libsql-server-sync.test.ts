import { copyFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createClient } from "@libsql/client/web"
import fc from "fast-check"
import Database from "libsql"
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest"
import { type LibsqlServer, startLibsqlServer } from "../../scripts/libsql-server/main.ts"

const folder = mkdtempSync(join(tmpdir(), "libsql-"))
const onSyncFailure = vi.fn()
const WAITING = { interval: 1, timeout: 20_000 }
let count = 0
let file: string
let server: LibsqlServer
let disk: Disk

/** A disk whose syncs the test ends. */
class Disk {
  readonly syncs: PromiseWithResolvers<void>[] = []
  /** Whether a sync ends at once. */
  isFast = true

  readonly sync = (): Promise<void> => {
    const sync = Promise.withResolvers<void>()
    this.syncs.push(sync)
    if (this.isFast) sync.resolve()
    return sync.promise
  }

  /** Resolves when a sync has started. */
  async started(number: number): Promise<void> {
    await vi.waitFor(() => expect(this.syncs).toHaveLength(number), WAITING)
  }
}

beforeEach(async () => {
  file = join(folder, `${++count}.db`)
  disk = new Disk()
  server = await startLibsqlServer({ file, sync: () => disk.sync(), onSyncFailure })
  await connect().execute("CREATE TABLE entry (id INTEGER PRIMARY KEY, by TEXT UNIQUE)")
  disk.syncs.length = 0
})
afterEach(() => server.stop())
afterAll(() => rmSync(folder, { recursive: true }))

const connect = () => createClient({ url: server.url, concurrency: 100 })
const insert = (by: string) => ({ sql: "INSERT INTO entry (by) VALUES (?)", args: [by] })

/** The rows that another process reads: committed, and perhaps not on disk. */
function committed(from = file): string[] {
  const other = new Database(from)
  try {
    return (other.prepare("SELECT by FROM entry ORDER BY id").all() as { by: string }[]).map(({ by }) => by)
  } finally {
    other.close()
  }
}

/** Copies a database with its log, and without its shared memory. */
function copyFiles(from: string, to: string): void {
  for (const suffix of ["", "-wal"]) copyFileSync(from + suffix, to + suffix)
}

test("transactions that wait share a sync, and none is answered before its sync has ended", async () => {
  disk.isFast = false
  const answered: string[] = []
  const write = (by: string) =>
    connect()
      .batch([insert(by)], "write")
      .then(() => answered.push(by))
  const first = write("first")
  await disk.started(1)
  const rest = Array.from({ length: 20 }, (_, n) => write(`late ${n}`))
  await vi.waitFor(() => expect(committed()).toHaveLength(21), WAITING)
  expect([answered, disk.syncs.length]).toEqual([[], 1])

  disk.syncs[0]!.resolve()
  await first
  await disk.started(2)
  expect(answered).toEqual(["first"])
  disk.syncs[1]!.resolve()
  await Promise.all(rest)
  expect(disk.syncs).toHaveLength(2)
})

test("a read waits for the sync of what it has read, and no longer", async () => {
  await connect().execute(insert("on disk"))
  disk.isFast = false
  const read = async () => (await connect().execute("SELECT by FROM entry ORDER BY id")).rows.map(({ by }) => by)
  expect(await read()).toEqual(["on disk"])

  const writing = connect().execute(insert("written"))
  await disk.started(2)
  let isAnswered = false
  const reading = read().finally(() => {
    isAnswered = true
  })
  // The health check does not wait, and each gives the read time to be answered.
  for (let n = 0; n < 20; n++) {
    await expect(fetch(`${server.url}/health`)).resolves.toMatchObject({ status: 200 })
    expect(isAnswered).toBe(false)
  }
  disk.syncs[1]!.resolve()
  await writing
  expect(await reading).toEqual(["on disk", "written"])
  expect(disk.syncs).toHaveLength(2)
})

test("of concurrent transactions those that fail leave nothing, and the others are stored whole", async () => {
  const names = fc.array(fc.array(fc.nat({ max: 15 }), { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(names, async (transactions) => {
      await connect().execute("DELETE FROM entry")
      disk.syncs.length = 0
      const writes = transactions.map((of, n) =>
        n % 3 === 0 && of.length === 1
          ? connect().execute(insert(`${of[0]}`))
          : connect().batch(
              of.map((name) => insert(`${name}`)),
              n % 2 ? "write" : "deferred",
            ),
      )
      const outcomes = await Promise.allSettled(writes)
      const stored = transactions.filter((_, n) => outcomes[n]!.status === "fulfilled").map((of) => of.map(String))
      const rows = committed()
      // Each transaction's rows follow each other, and a name is stored once.
      for (const rowsOfOne of stored) expect(rows.join()).toContain(rowsOfOne.join())
      expect(rows.toSorted()).toEqual(stored.flat().toSorted())
      expect(new Set(rows).size).toBe(rows.length)
    }),
    { numRuns: 30 },
  )
})

test("every answered write survives a power failure that leaves the files of the last complete sync", async () => {
  await server.stop()
  const [copying, copy] = [join(folder, "copying.db"), join(folder, "copy.db")]
  const sync = async () => {
    copyFiles(file, copying)
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
    copyFiles(copying, copy)
  }
  server = await startLibsqlServer({ file, sync })
  const missing: string[] = []
  const writer = async (name: string) => {
    for (let n = 0; n < 15; n++) {
      const by = `${name} ${n}`
      await connect().execute(insert(by))
      const failed = join(folder, `failed ${by}.db`)
      copyFiles(copy, failed)
      if (!committed(failed).includes(by)) missing.push(by)
    }
  }
  await Promise.all(Array.from({ length: 6 }, (_, n) => writer(`writer ${n}`)))
  expect(missing).toEqual([])
})

test("after a failed sync no request succeeds, and the owner of the server learns it", async () => {
  disk.isFast = false
  const writing = connect().execute(insert("lost"))
  await disk.started(1)
  const waiting = connect().execute(insert("late"))
  await vi.waitFor(() => expect(committed()).toHaveLength(2), WAITING)
  const log = vi.spyOn(console, "error").mockImplementation(() => undefined)
  const error = new Error("EIO")
  disk.syncs[0]!.reject(error)
  const failed = { status: "rejected", reason: { cause: { status: 500 } } }
  const reading = connect().execute("SELECT 1")
  expect(await Promise.allSettled([writing, waiting, reading])).toMatchObject([failed, failed, failed])
  expect(onSyncFailure.mock.calls).toEqual([[error]])
  expect(disk.syncs).toHaveLength(1)
  log.mockRestore()
})

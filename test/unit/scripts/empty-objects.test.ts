import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createClient } from "@libsql/client"
import { expect, onTestFinished, test } from "vitest"
import { deleteEmptyObjects, MIN_AGE_MS } from "../../../scripts/dev/worker-host.ts"

const HOUR_AGO = Date.now() / 1_000 - 3_600

/** A SQLite file as workerd leaves it, with or without a table. */
async function objectFile(path: string, statements: readonly string[]) {
  const client = createClient({ url: `file:${path}` })
  for (const statement of ["PRAGMA journal_mode = WAL", "CREATE TABLE t (x)", "DROP TABLE t", "VACUUM", ...statements])
    await client.execute(statement)
  await client.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  await client.execute("PRAGMA journal_mode = DELETE")
  client.close()
  utimesSync(path, HOUR_AGO, HOUR_AGO)
}

test("files of objects without state are deleted, and no others", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mailverdict-objects-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const limiters = join(folder, "mailverdict-KeyGate")
  mkdirSync(limiters)
  writeFileSync(join(folder, "note"), "")
  const at = (name: string) => join(limiters, name)
  for (const name of ["empty", "metadata", "running", "starting"]) await objectFile(at(`${name}.sqlite`), [])
  await objectFile(at("counting.sqlite"), ["CREATE TABLE _cf_KV (key TEXT PRIMARY KEY, value BLOB)"])
  writeFileSync(at("running.sqlite-wal"), "a transaction")
  utimesSync(at("starting.sqlite"), new Date(), new Date())

  const now = Date.now()
  expect(await deleteEmptyObjects(folder, { now, minAgeMs: MIN_AGE_MS.whileRunning })).toBe(0)
  expect(await deleteEmptyObjects(folder, { now, minAgeMs: MIN_AGE_MS.atStart })).toBe(1)
  expect(readdirSync(limiters).toSorted()).toEqual([
    "counting.sqlite",
    "metadata.sqlite",
    "running.sqlite",
    "running.sqlite-wal",
    "starting.sqlite",
  ])
  expect(await deleteEmptyObjects(folder, { now, minAgeMs: MIN_AGE_MS.atStart })).toBe(0)
})

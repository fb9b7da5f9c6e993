import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { json } from "node:stream/consumers"
import { expect, onTestFinished, test } from "vitest"
import { DISK_PATHS, DiskSpace, DiskUsage } from "../../../schema/wire/disk.ts"
import { startDiskReport } from "../../../scripts/dev/disk-report.ts"

const BLOCK = 4_096

/** A data folder with `files` files of one block in each place. */
async function reportOf(files: number) {
  const dataDir = mkdtempSync(join(tmpdir(), "mailverdict-disk-"))
  const folders = ["workerd/kv/one/two", "workerd/do", "workerd/queues", "backups/today"]
  for (const folder of folders) mkdirSync(join(dataDir, folder), { recursive: true })
  for (const place of ["mailverdict.db", ...folders.map((folder) => `${folder}/file`)])
    for (let n = 0; n < files; n++)
      writeFileSync(join(dataDir, n === 0 ? place : `${place}-${n}`), Buffer.alloc(BLOCK, 1))
  const socketPath = join(dataDir, "disk.sock")
  const server = await startDiskReport(socketPath, dataDir)
  onTestFinished(() => {
    server.close().closeAllConnections()
    rmSync(dataDir, { recursive: true })
  })
  return (path: string) =>
    new Promise((resolve, reject) =>
      request({ socketPath, path }, (response) => resolve(json(response)))
        .on("error", reject)
        .end(),
    )
}

test("the report has the file system of the folder, without a look at the stores", async () => {
  const read = await reportOf(1)
  const { freeBytes, totalBytes } = DiskSpace.strict().parse(await read(DISK_PATHS.space))
  expect(totalBytes).toBeGreaterThan(freeBytes)
  expect(freeBytes).toBeGreaterThan(0)
})

test("the report has the bytes of all files of each store, in any folder below", async () => {
  const files = 100
  const { stores } = DiskUsage.parse(await (await reportOf(files))(DISK_PATHS.stores))
  for (const [store, bytes] of Object.entries(stores)) {
    expect({ store, isAll: bytes >= files * BLOCK }).toEqual({ store, isAll: true })
    // Folders take some blocks, too.
    expect({ store, isMore: bytes > (files + 20) * BLOCK }).toEqual({ store, isMore: false })
  }
})

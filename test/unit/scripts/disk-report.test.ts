import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { json } from "node:stream/consumers"
import { expect, onTestFinished, test } from "vitest"
import { DISK_PATHS, DiskSpace, StoreSizes } from "../../../schema/wire/disk.ts"
import { spaceOf, startDiskReport } from "../../../scripts/dev/disk-report.ts"

/** The places of a data folder, by store. */
const PLACES = {
  database: "mailverdict.db",
  kv: "workerd/kv/one/two/file",
  durable_objects: "workerd/do/file",
  queue: "workerd/queues/file",
  backups: "backups/today/file",
} as const

/** A data folder with `files` files in each place. */
async function reportOf(files: number) {
  // A tmpfs. Other file systems allocate blocks late, or compress them.
  const dataDir = mkdtempSync("/dev/shm/mailverdict-disk-")
  for (const place of Object.values(PLACES)) {
    mkdirSync(join(dataDir, place, ".."), { recursive: true })
    for (let n = 0; n < files; n++)
      writeFileSync(join(dataDir, n === 0 ? place : `${place}-${n}`), Buffer.alloc(4_096, 1))
  }
  const socketPath = join(dataDir, "disk.sock")
  const server = await startDiskReport(socketPath, dataDir)
  onTestFinished(() => {
    server.close().closeAllConnections()
    // Node's own function fails at a path that is too long.
    execFileSync("rm", ["-rf", dataDir])
  })
  const read = (path: string) =>
    new Promise((resolve, reject) =>
      request({ socketPath, path }, (response) => resolve(json(response)))
        .on("error", reject)
        .end(),
    )
  return { dataDir, read }
}

test("the report has the file system of the folder, without a look at the stores", async () => {
  const { read } = await reportOf(1)
  const { freeBytes, totalBytes } = DiskSpace.strict().parse(await read(DISK_PATHS.space))
  expect(totalBytes).toBeGreaterThan(freeBytes)
  expect(freeBytes).toBeGreaterThan(0)
})

test("a folder that does not exist yet has the space of its parents", async () => {
  const { dataDir } = await reportOf(1)
  expect(spaceOf(join(dataDir, "not", "yet")).totalBytes).toBe(spaceOf(dataDir).totalBytes)
})

test("the report has what all files of each store take on the disk, in any folder below", async () => {
  const { dataDir, read } = await reportOf(100)
  const onDisk = (place: string) => {
    const lines = execFileSync("sh", ["-c", `du -s -B1 ${place}`], { cwd: dataDir, encoding: "utf8" })
      .trim()
      .split("\n")
    return lines.reduce((sum, line) => sum + Number.parseInt(line, 10), 0)
  }
  expect(await read(DISK_PATHS.stores)).toEqual({
    database: onDisk("mailverdict.db*"),
    kv: onDisk("workerd/kv"),
    durable_objects: onDisk("workerd/do"),
    queue: onDisk("workerd/queues"),
    backups: onDisk("backups"),
  })
})

test("a store with a folder that cannot be read is left out, and the others are reported", async () => {
  const { dataDir, read } = await reportOf(1)
  // Root can enter any folder, but no path of more than 4,096 bytes.
  const deeper = `for (let n = 0; n < 20; n++) { fs.mkdirSync("${"d".repeat(250)}"); process.chdir("${"d".repeat(250)}") }`
  execFileSync(process.execPath, ["-e", deeper], { cwd: join(dataDir, "backups") })
  const stores = StoreSizes.parse(await read(DISK_PATHS.stores))
  expect(Object.keys(stores).toSorted()).toEqual(["database", "durable_objects", "kv", "queue"])
})

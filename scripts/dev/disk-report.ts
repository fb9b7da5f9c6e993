import { once } from "node:events"
import { type StatsFs, statfsSync } from "node:fs"
import { lstat, readdir } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import { dirname, join, resolve } from "node:path"
import { DISK_PATHS, type DISK_STORES, type DiskSpace, type StoreSizes } from "../../schema/wire/disk.ts"
import { inParallel } from "../../src/concurrency/in-parallel.ts"

/** The folders and files of each store in DATA_DIR. A star at the end of a name matches any ending. */
const PLACES: Readonly<Record<(typeof DISK_STORES)[number], string>> = {
  database: "mailverdict.db*",
  kv: "workerd/kv",
  durable_objects: "workerd/do",
  queue: "workerd/queues",
  backups: "backups",
}
/** Each key has a file, so the stores are measured at most once in this time. */
const MEASURED_FOR_MS = 30_000
/** Files that are inspected at the same time. */
const WIDTH = 32

/**
 * Reports the disk of DATA_DIR to the Worker, which cannot see it itself.
 * @param socketPath the Unix socket to listen on
 */
export async function startDiskReport(socketPath: string, dataDir: string): Promise<Server> {
  let measured: Promise<StoreSizes> | null = null
  let measuredAt = 0
  function stores(): Promise<StoreSizes> {
    if (measured && Date.now() - measuredAt < MEASURED_FOR_MS) return measured
    measuredAt = Date.now()
    measured = storesIn(dataDir)
    return measured
  }
  const server = createServer(async ({ url }, response) => {
    try {
      const report = url === DISK_PATHS.stores ? await stores() : spaceOf(dataDir)
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify(report))
    } catch (error) {
      measured = null
      response.writeHead(500).end(JSON.stringify({ detail: (error as Error).message }))
    }
  })
  await once(server.listen(socketPath), "listening")
  return server
}

/** The size of a folder's file system, and what an unprivileged user may still write. @throws Error like `fileSystemOf` */
export function spaceOf(folder: string): DiskSpace {
  const { bavail, blocks, bsize } = fileSystemOf(folder)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}

/** Reads the file system of a folder, which may not exist yet. @throws Error when the folder cannot be entered */
export function fileSystemOf(folder: string): StatsFs {
  for (let path = resolve(folder); ; path = dirname(path)) {
    try {
      return statfsSync(path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
    }
  }
}

/** A store that this user cannot read is left out: backups of `sudo npm run backup` belong to root. */
async function storesIn(dataDir: string): Promise<StoreSizes> {
  const sizes = Object.entries(PLACES).map(async ([store, place]) => {
    const bytes = await bytesAt(dataDir, place).catch(() => null)
    return bytes === null ? [] : [[store, bytes] as const]
  })
  return Object.fromEntries((await Promise.all(sizes)).flat())
}

async function bytesAt(dataDir: string, place: string): Promise<number> {
  if (!place.endsWith("*")) return bytesOf(join(dataDir, place))
  const names = (await readdir(dataDir)).filter((name) => name.startsWith(place.slice(0, -1)))
  const sizes = await Promise.all(names.map((name) => bytesOf(join(dataDir, name))))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** The space that a file or folder takes on the disk; 0 for one that does not exist or has just been deleted. */
async function bytesOf(path: string): Promise<number> {
  try {
    const stats = await lstat(path)
    let bytes = stats.blocks * 512
    if (stats.isDirectory())
      await inParallel(await readdir(path), WIDTH, async (name) => {
        const size = await bytesOf(join(path, name))
        bytes += size
      })
    return bytes
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0
    throw error
  }
}

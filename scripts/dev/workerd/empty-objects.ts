import { readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { inParallel } from "../../../src/concurrency/in-parallel.ts"

/** A SQLite file of one page has no table: any table has a page of its own (sqlite.org/fileformat2.html, 1.2 and 1.6). */
const EMPTY_BYTES = 4_096
/** A younger file may belong to another process that just starts. */
const MIN_AGE_MS = 60_000
/** workerd's list of alarms, beside the objects. */
const NOT_AN_OBJECT = "metadata.sqlite"

/** Files that are inspected at the same time. */
const WIDTH = 64

/**
 * Deletes the files of Durable Objects that store nothing. workerd creates a file when an object starts, and keeps it when
 * the object deletes its state, so a limiter of each network would leave one. To be called while no workerd runs: a
 * `-shm` or `-wal` file is then from a crash, and its object keeps its file.
 * @param folder where workerd stores Durable Objects, one subfolder for each class
 * @param now Unix milliseconds
 * @returns the number of deleted files
 */
export async function deleteEmptyObjects(folder: string, now: number): Promise<number> {
  let deleted = 0
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue
    const files = new Set(await readdir(join(folder, entry.name)))
    await inParallel([...files], WIDTH, async (file) => {
      if (!file.endsWith(".sqlite") || file === NOT_AN_OBJECT) return
      if (files.has(`${file}-wal`) || files.has(`${file}-shm`)) return
      const path = join(folder, entry.name, file)
      const { size, mtimeMs } = await stat(path)
      if (size > EMPTY_BYTES || now - mtimeMs < MIN_AGE_MS) return
      await rm(path)
      deleted++
    })
  }
  return deleted
}

import { readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { inParallel } from "../../../src/concurrency/in-parallel.ts"

/** A SQLite file of one page has no table: any table has a page of its own (sqlite.org/fileformat2.html, 1.2 and 1.6). */
const EMPTY_BYTES = 4_096
/** A younger file may belong to an object that just starts. */
export const MIN_AGE_MS = { atStart: 60_000, whileRunning: 86_400_000 } as const
/** workerd's list of alarms, beside the objects. */
const NOT_AN_OBJECT = "metadata.sqlite"

/** Files that are inspected at the same time. */
const WIDTH = 64

/**
 * Deletes the files of Durable Objects that store nothing. workerd creates a file when an object starts, and keeps it when
 * the object deletes its state, so a limiter of each network would leave one. A `-shm` or `-wal` file belongs to an object
 * that runs, or is from a crash: its object keeps its file. An object that starts in the same moment loses the counts of
 * that moment at most.
 * @param folder where workerd stores Durable Objects, one subfolder for each class
 * @param now Unix milliseconds
 * @returns the number of deleted files
 */
export async function deleteEmptyObjects(
  folder: string,
  { now, minAgeMs }: { now: number; minAgeMs: number },
): Promise<number> {
  let deleted = 0
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue
    const files = new Set(await readdir(join(folder, entry.name)))
    await inParallel([...files], WIDTH, async (file) => {
      if (!file.endsWith(".sqlite") || file === NOT_AN_OBJECT) return
      if (files.has(`${file}-wal`) || files.has(`${file}-shm`)) return
      const path = join(folder, entry.name, file)
      const { size, mtimeMs } = await stat(path)
      if (size > EMPTY_BYTES || now - mtimeMs < minAgeMs) return
      await rm(path)
      deleted++
    })
  }
  return deleted
}

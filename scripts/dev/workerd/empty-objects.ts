import { readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"

/** A SQLite file of one page has no table: any table has a page of its own (sqlite.org/fileformat2.html, 1.2 and 1.6). */
const EMPTY_BYTES = 4_096
/** A younger file may be of an object that just starts. */
const MIN_AGE_MS = 60_000
/** workerd's list of alarms, beside the objects. */
const NOT_AN_OBJECT = "metadata.sqlite"

/**
 * Deletes the files of Durable Objects that store nothing. workerd creates a file when an object starts, and keeps it when
 * the object deletes its state. A limiter of each network and key would leave one. An object is running while its `-shm`
 * or `-wal` file exists, and then keeps its file.
 * @param folder where workerd stores Durable Objects, one subfolder for each class
 * @param now Unix milliseconds
 * @returns the number of deleted files
 */
export async function deleteEmptyObjects(folder: string, now: number): Promise<number> {
  let deleted = 0
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue
    const files = new Set(await readdir(join(folder, entry.name)))
    for (const file of files) {
      if (!file.endsWith(".sqlite") || file === NOT_AN_OBJECT) continue
      if (files.has(`${file}-wal`) || files.has(`${file}-shm`)) continue
      const path = join(folder, entry.name, file)
      const found = await stat(path).catch(() => null)
      if (!found || found.size > EMPTY_BYTES || now - found.mtimeMs < MIN_AGE_MS) continue
      await rm(path, { force: true })
      deleted++
    }
  }
  return deleted
}

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Database from "libsql"
import { inject } from "vitest"
import { copyFromServer } from "../../../scripts/data/copy-database.ts"
import { ON_SQLD } from "../stack/database-server.ts"

/**
 * Files of the running stack that contain a text, in any letter case. Searches a copy of the database without deleted
 * data, and all files of KV, Durable Objects and queues.
 */
export async function filesWith(text: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "mailverdict-bytes-"))
  try {
    const copy = join(folder, "database")
    await copyDatabase(copy)
    const files = filesIn(join(inject("dataDir"), "workerd"))
    if (files.length === 0) throw new Error("the Worker has no state files")
    return [copy, ...files].filter((file) => holds(file, text))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function copyDatabase(copy: string): Promise<void> {
  if (ON_SQLD) return copyFromServer(inject("database"), copy)
  const database = new Database(join(inject("dataDir"), "mailverdict.db"))
  database.exec(`VACUUM INTO '${copy}'`)
  database.close()
}

/** All files in a folder and its folders. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

function holds(file: string, text: string): boolean {
  const bytes = bytesOf(file)
  const [utf8, utf16] = [bytes.toString("latin1").toLowerCase(), bytes.toString("utf16le").toLowerCase()]
  return utf8.includes(text.toLowerCase()) || utf16.includes(text.toLowerCase())
}

/** Reads a file; empty when it is gone, because idle objects remove their files at any time. */
export function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return Buffer.alloc(0)
    throw error
  }
}

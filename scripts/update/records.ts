import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import type { Owner } from "./command.ts"

const Code = z.object({ version: z.string(), commit: z.string(), ref: z.string() })
const Record = z.object({
  kind: z.enum(["update", "rollback"]),
  /** "started" stays after an interruption. */
  state: z.enum(["started", "done", "failed", "rolled_back"]),
  started_at: z.iso.datetime(),
  ended_at: z.iso.datetime().nullable(),
  from: Code,
  to: Code,
  /** The folder of the backup that was taken before. Null: there was no database. */
  backup: z.string().nullable(),
  /** Names of the migrations that were to apply. */
  migrations: z.array(z.string()),
  problem: z.string().nullable(),
})
export type UpdateRecord = z.infer<typeof Record>

const Records = z.object({ updates: z.array(Record) })
/** In DATA_DIR. */
export const RECORDS = "updates.json"
/** Older ones are dropped. */
const KEPT = 100

/** The updates and rollbacks of an installation, oldest first. @throws Error when the file is damaged */
export function readRecords(dataDir: string): UpdateRecord[] {
  const file = join(dataDir, RECORDS)
  if (!existsSync(file)) return []
  try {
    return Records.parse(JSON.parse(readFileSync(file, "utf8"))).updates
  } catch (error) {
    throw new Error(`${file} is damaged: move it away`, { cause: error })
  }
}

/** Replaces the records. Other users cannot read the file. */
export function writeRecords(dataDir: string, records: readonly UpdateRecord[]): void {
  const file = join(dataDir, RECORDS)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.unfinished`, `${JSON.stringify({ updates: records.slice(-KEPT) }, null, 2)}\n`, {
    mode: 0o600,
  })
  const owner = ownerOf(dataDir)
  if (owner) chownSync(`${file}.unfinished`, owner.uid, owner.gid)
  renameSync(`${file}.unfinished`, file)
}

/** The account of the data when it is another one than root, which runs this. Undefined: the own account is right. */
export function ownerOf(dataDir: string): Owner | undefined {
  if (process.getuid?.() !== 0 || !existsSync(dataDir)) return undefined
  const { uid, gid } = statSync(dataDir)
  return uid === 0 ? undefined : { uid, gid }
}

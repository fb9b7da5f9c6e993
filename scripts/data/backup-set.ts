import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** The backups of an installation: their names, which are complete, which to keep, and which was the last. */

/** The database of a backup. It is written last, so a folder without it is not complete. */
export const DATABASE = "mailverdict.db"
/** The secrets that `npm start` generates. */
export const GENERATED = "secrets.json"
/** The secrets that the operator has set, in the form of `.env`. */
export const SET = "secrets.env"

const FILES = [DATABASE, GENERATED, SET]
/** An ISO time without characters that a file name cannot have everywhere. */
const STAMP = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z/
const DAY_MS = 86_400_000

/** The name of a backup. @param now Unix ms */
export const stampOf = (now: number): string => new Date(now).toISOString().replaceAll(/[:.]/g, "-")

/** The time of a backup in Unix ms. Null: the name does not begin as one that `npm run backup` gives. */
function timeOf(name: string): number | null {
  const [, day, hours, minutes, seconds, ms] = STAMP.exec(name) ?? []
  return day === undefined ? null : Date.parse(`${day}T${hours}:${minutes}:${seconds}.${ms}Z`)
}

/** Whether a folder is a complete backup that `npm run backup` has named. Any other file in it makes it someone else's. */
export function isComplete(name: string, files: readonly string[]): boolean {
  const isStamp = timeOf(name) !== null && STAMP.exec(name)![0] === name
  return isStamp && files.includes(DATABASE) && files.every((file) => FILES.includes(file))
}

/**
 * The backups to remove, so that the newest stay.
 * @param names complete backups, in any order
 * @param own the backup just made, which stays whatever the clock says
 */
export function surplusOf(names: readonly string[], { keep, own }: { keep: number; own: string }): string[] {
  const others = names.filter((name) => name !== own).toSorted()
  return others.slice(0, Math.max(0, others.length - (keep - 1)))
}

/** Whether a folder is what an interrupted backup has left, a day ago or longer. */
export function isAbandoned(name: string, now: number): boolean {
  const time = timeOf(name)
  return time !== null && /Z(\.upload)?\.unfinished$|Z\.upload$/.test(name) && now - time > DAY_MS
}

/** Beside the data, so that the doctor finds it wherever the backups are. */
const RECORD = "last-backup.json"

export interface LastBackup {
  /** Unix ms. */
  readonly at: number
  /** Its folder or its s3:// URL. */
  readonly place: string
}

/** Records a complete backup of this data folder. Without the folder, as with LIBSQL_URL, nothing is recorded. */
export function recordBackup(dataDir: string, backup: LastBackup): void {
  const file = join(dataDir, RECORD)
  try {
    writeFileSync(`${file}.unfinished`, JSON.stringify(backup), { mode: 0o600 })
    renameSync(`${file}.unfinished`, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
  }
}

/** The last complete backup. Null when none is recorded. */
export function lastBackup(dataDir: string): LastBackup | null {
  try {
    const { at, place } = JSON.parse(readFileSync(join(dataDir, RECORD), "utf8")) as Partial<LastBackup>
    return typeof at === "number" && typeof place === "string" ? { at, place } : null
  } catch {
    return null
  }
}

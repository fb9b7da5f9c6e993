import { readFileSync } from "node:fs"
import { join } from "node:path"
import { writePrivateFile } from "../dev/secrets.ts"
import { DATA_FILES } from "./data-files.ts"

/** The backups of an installation: their names, which are complete, which to keep, and which was the last. */

/** The database of a backup. It is written last, so a folder without it is not complete. */
export const DATABASE = DATA_FILES.database
/** The secrets that `npm start` generates. */
export const GENERATED = DATA_FILES.secrets
/** The secrets that the operator has set, in the form of `.env`. */
export const SET = "secrets.env"

/** The files of a backup. */
export const FILES: readonly string[] = [DATABASE, GENERATED, SET]
/** An ISO time without characters that a file name cannot have everywhere. */
const STAMP = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z/
/** What follows the time in the name of a backup that is not complete. One before an update also names its purpose. */
const UNFINISHED = /Z(-[\w.-]+)?(\.upload)?\.unfinished$|Z\.upload$/
const DAY_MS = 86_400_000

/** The name of a backup. @param now Unix ms */
export const stampOf = (now: number): string => new Date(now).toISOString().replaceAll(/[:.]/g, "-")

/** The folder of the backups that no other place is named for. */
export const ownBackups = (dataDir: string): string => join(dataDir, DATA_FILES.backups)

/** The time of a backup in Unix ms. Null: the name does not begin as one that `npm run backup` gives. */
export function timeOf(name: string): number | null {
  const [, day, hours, minutes, seconds, ms] = STAMP.exec(name) ?? []
  return day === undefined ? null : Date.parse(`${day}T${hours}:${minutes}:${seconds}.${ms}Z`)
}

/** Whether a folder has the name of a backup, and only its files. With any other file it is not one of ours. */
function isBackup(name: string, files: readonly string[]): boolean {
  return STAMP.exec(name)?.[0] === name && files.length > 0 && files.every((file) => FILES.includes(file))
}

/** Whether a folder is a complete backup that `npm run backup` has named. */
export function isComplete(name: string, files: readonly string[]): boolean {
  return isBackup(name, files) && files.includes(DATABASE)
}

/** Whether a folder is what an interrupted backup, upload or removal has left, a day ago or longer. */
export function isAbandoned(name: string, files: readonly string[], now: number): boolean {
  const time = timeOf(name)
  if (time === null || now - time <= DAY_MS) return false
  return UNFINISHED.test(name) || (isBackup(name, files) && !files.includes(DATABASE))
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

export interface LastBackup {
  /** Unix ms. */
  readonly at: number
  /** Its folder or its s3:// URL. */
  readonly place: string
}

// The record is beside the data, so that the doctor finds it wherever the backups are.

/** Records a complete backup of this data folder. Without the folder, as with LIBSQL_URL, nothing is recorded. */
export function recordBackup(dataDir: string, backup: LastBackup): void {
  try {
    writePrivateFile(join(dataDir, DATA_FILES.lastBackup), JSON.stringify(backup))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
  }
}

/** The last complete backup. Null when none is recorded. */
export function lastBackup(dataDir: string): LastBackup | null {
  try {
    const text = readFileSync(join(dataDir, DATA_FILES.lastBackup), "utf8")
    const { at, place } = JSON.parse(text) as Partial<LastBackup>
    return typeof at === "number" && typeof place === "string" ? { at, place } : null
  } catch {
    return null
  }
}

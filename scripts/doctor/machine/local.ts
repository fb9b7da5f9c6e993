import { readFileSync, statSync } from "node:fs"
import { storageStateOf } from "../../../src/domain/admin/installation.ts"
import { lastBackup } from "../../data/backup-set.ts"
import { capsOf, DEFAULT_CAPS } from "../../dev/connection-caps.ts"
import { fileSystemOf, spaceOf } from "../../dev/disk-report.ts"
import { fileLimit } from "../../dev/local-settings.ts"
import type { Finding } from "../finding.ts"

const MIB = 1_048_576
const HOUR_MS = 3_600_000
/** A daily backup that has failed once is a warning, and one that has failed for a week a failure. */
const [LATE_MS, LOST_MS] = [30 * HOUR_MS, 7 * 24 * HOUR_MS]
/** A machine that is sold as 1 GB. All parts take 272 MiB, and 420 during a job (docs/sizes.md). */
const LEAST_MEMORY_MIB = 900

interface Place {
  readonly dataDir: string
  readonly settings: Readonly<Record<string, string | undefined>>
  /** Unix ms. */
  readonly now: number
}

/** Checks what this machine gives the service: disk, memory, open files, and the age of the last backup. */
export function checkMachine(place: Place): Finding[] {
  return [checkDisk(place), checkMemory(), checkFiles(place), checkBackup(place)]
}

function checkDisk({ dataDir }: Place): Finding {
  const about = "disk"
  try {
    const { ffree, files } = fileSystemOf(dataDir)
    const space = spaceOf(dataDir)
    const size = `${Math.floor(space.freeBytes / MIB).toLocaleString("en-US")} MiB are free at ${dataDir}`
    const advice = "delete old backups, or enlarge the disk: on a full disk the service refuses writes"
    if (files > 0 && ffree < 1_000)
      return { about, result: "fail", detail: `only ${ffree} files can be created: ${advice}` }
    const state = storageStateOf(space)
    if (state === "ok") return { about, result: "ok", detail: size }
    return { about, result: state === "full" ? "fail" : "warn", detail: `only ${size}: ${advice}` }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const detail = `${dataDir} cannot be read (${code}): set DATA_DIR, and run this as the service's user`
    return { about, result: "fail", detail }
  }
}

function checkMemory(): Finding {
  const total = Number(/^MemTotal: +(\d+)/m.exec(readFileSync("/proc/meminfo", "utf8"))?.[1]) / 1_024
  const size = `${Math.round(total).toLocaleString("en-US")} MiB of memory`
  if (total >= LEAST_MEMORY_MIB) return { about: "memory", result: "ok", detail: size }
  return { about: "memory", result: "warn", detail: `${size}: use a machine with 1 GB (docs/sizes.md)` }
}

function checkFiles({ settings }: Place): Finding {
  const about = "open files"
  const files = fileLimit()
  const { total } = capsOf({ ...settings, CONNECTIONS: undefined }, files)
  if (total >= DEFAULT_CAPS.total) return { about, result: "ok", detail: `a process may open ${files}` }
  const detail = `a process of this shell may open ${files}, so at most ${Math.max(0, total)} connections: raise the limit (ulimit -Hn)`
  return { about, result: "warn", detail }
}

function checkBackup({ dataDir, now }: Place): Finding {
  const about = "backup"
  const last = lastBackup(dataDir)
  const advice = "install mailverdict-backup.timer (docs/maintaining.md#back-up-each-night)"
  if (!last) return { about, result: "warn", detail: `there is none: ${advice}` }
  const ageMs = now - last.at
  const when = `${new Date(last.at).toISOString().slice(0, 16)}Z to ${last.place}`
  if (ageMs > LOST_MS)
    return { about, result: "fail", detail: `the last one is of ${when}: ${advice}, and read its log` }
  if (ageMs > LATE_MS)
    return { about, result: "warn", detail: `the last one is of ${when}: ${advice}, and read its log` }
  if (isSameDisk(dataDir, last.place))
    return { about, result: "warn", detail: `${when}, on the disk of the data: set BACKUP_TO to another disk or to S3` }
  return { about, result: "ok", detail: when }
}

function isSameDisk(dataDir: string, place: string): boolean {
  const of = (path: string) => statSync(path, { throwIfNoEntry: false })?.dev
  return !place.startsWith("s3:") && of(place) !== undefined && of(place) === of(dataDir)
}

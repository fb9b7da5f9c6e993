import type { Family } from "./prometheus.ts"

/** The file system of the service's data. */
export interface DiskSpace {
  readonly freeBytes: number
  readonly totalBytes: number
}

export const STORAGE_STATES = ["ok", "low", "full"] as const
/** `low`: the operator should free space soon. `full`: calls that need a write fail, or are about to. */
export type StorageState = (typeof STORAGE_STATES)[number]

const MB = 1_048_576
/** Each is at most this share of a small disk, and this many bytes of a large one. */
const LOW = { share: 0.1, bytes: 1_024 * MB } as const
/** A job's batch of chunks writes a few MB at once, and SQLite writes them twice. */
const FULL = { share: 0.01, bytes: 16 * MB } as const

/** Judges the free space of a disk. */
export function storageStateOf({ freeBytes, totalBytes }: DiskSpace): StorageState {
  const isBelow = ({ share, bytes }: typeof LOW | typeof FULL) => freeBytes < Math.min(bytes, share * totalBytes)
  if (isBelow(FULL)) return "full"
  return isBelow(LOW) ? "low" : "ok"
}

/** The metrics of a disk. @param stores bytes by store, without those that could not be measured */
export function diskFamilies({ freeBytes, totalBytes }: DiskSpace, stores: Readonly<Record<string, number>>): Family[] {
  const gauge = (name: string, help: string, samples: Family["samples"]): Family => {
    return { name, type: "gauge", help, samples }
  }
  return [
    gauge("mailverdict_disk_free_bytes", "Free space of the file system of DATA_DIR.", [
      { labels: {}, value: freeBytes },
    ]),
    gauge("mailverdict_disk_total_bytes", "Size of the file system of DATA_DIR.", [{ labels: {}, value: totalBytes }]),
    gauge(
      "mailverdict_disk_used_bytes",
      "Space that each store takes in DATA_DIR.",
      Object.entries(stores).map(([store, value]) => ({ labels: { store }, value })),
    ),
  ]
}

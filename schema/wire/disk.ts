import { z } from "zod"

/** What `npm start` stores in DATA_DIR. `backups` are those in its own folder. */
export const DISK_STORES = ["database", "kv", "durable_objects", "queue", "backups"] as const

/** The paths at which the host process reports the disk, and the size of each store, to the Worker. */
export const DISK_PATHS = { space: "/disk", stores: "/disk/stores" } as const

/** The file system of DATA_DIR. */
export const DiskSpace = z.object({
  /** What an unprivileged process may still write. */
  freeBytes: z.number().min(0),
  totalBytes: z.number().min(0),
})
export type DiskSpace = z.infer<typeof DiskSpace>

/** The bytes of each store on the disk. A store that the service's user cannot read is left out. */
export const StoreSizes = z.partialRecord(z.enum(DISK_STORES), z.number().min(0))
export type StoreSizes = z.infer<typeof StoreSizes>

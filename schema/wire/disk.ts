import { z } from "zod"

/** What `npm start` stores in DATA_DIR. `backups` are those in its own folder. */
export const DISK_STORES = ["database", "kv", "durable_objects", "queue", "backups"] as const

/** The path at which the host process reports the disk to the Worker, and the one that also measures each store. */
export const DISK_PATHS = { space: "/disk", stores: "/disk/stores" } as const

/** The file system of DATA_DIR. */
export const DiskSpace = z.object({
  /** What an unprivileged process may still write. */
  freeBytes: z.number().min(0),
  totalBytes: z.number().min(0),
})
export type DiskSpace = z.infer<typeof DiskSpace>

/** The same with the bytes of each store on the disk. */
export const DiskUsage = DiskSpace.extend({ stores: z.record(z.enum(DISK_STORES), z.number().min(0)) })
export type DiskUsage = z.infer<typeof DiskUsage>

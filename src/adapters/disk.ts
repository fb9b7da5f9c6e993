import type { z } from "zod"
import { DISK_PATHS, DiskSpace, StoreSizes } from "../../schema/wire/disk.ts"
import type { Bindings } from "../env.ts"
import type { Log } from "./platform.ts"

/** The disk of a service that stores its data on its own machine. */
export interface Disk {
  /** Null where the platform stores the data, and when the host process does not answer. Never rejects. */
  space(): Promise<DiskSpace | null>
  /** The bytes of each store, which may be a minute old. Null like `space`, and when they are not measured in time. */
  stores(): Promise<StoreSizes | null>
}

/** Only the path counts: the binding leads to the host process, whatever the host name. */
const ORIGIN = "http://host"
const ANSWER_MS = 5_000

/** Asks the host process of `npm start`, which is the binding HOST. A deployed Worker has none. */
export function createDisk({ HOST }: Pick<Bindings, "HOST">, { log }: { readonly log: Log }): Disk {
  async function read<T>(path: string, shape: z.ZodType<T>): Promise<T | null> {
    if (!HOST) return null
    try {
      const response = await HOST.fetch(`${ORIGIN}${path}`, { signal: AbortSignal.timeout(ANSWER_MS) })
      return shape.parse(await response.json())
    } catch (error) {
      log("disk_unread", { error: (error as Error).message })
      return null
    }
  }
  return {
    space: () => read(DISK_PATHS.space, DiskSpace),
    stores: () => read(DISK_PATHS.stores, StoreSizes),
  }
}

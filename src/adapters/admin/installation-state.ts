import type { z } from "zod"
import { DISK_PATHS, DiskSpace, StoreSizes } from "../../../schema/wire/disk.ts"
import type { DatabaseProblem, Ownership } from "../../domain/admin/installation.ts"
import type { Bindings } from "../../env.ts"
import type { Log } from "../platform.ts"

/** The result of a test of the database. */
export interface DatabaseCheck {
  /** Null when it works. */
  readonly problem: DatabaseProblem | null
  /** For the operator: what is wrong and what to do. Null without a problem. */
  readonly explanation: string | null
  /** Duration of the read in milliseconds. */
  readonly ms: number
}

/** What this isolate last learned about its database. Plain values, so that requests may share them. Times are Unix ms. */
export interface DatabaseMemory {
  /** Null until the database was read. */
  ownership: Ownership | null
  /** For the operator, when the database is foreign. */
  explanation: string
  /** The last attempt to read the ownership that gave no result or a refusal. */
  refusedAt: number
  check: DatabaseCheck | null
  checkedAt: number
  /** Another request tests the database until then at the latest. */
  checkingUntil: number
}

export function newDatabaseMemory(): DatabaseMemory {
  const never = Number.NEGATIVE_INFINITY
  return { ownership: null, explanation: "", refusedAt: never, check: null, checkedAt: never, checkingUntil: never }
}

/** The disk of a service that stores its data on its own machine. */
export type Disk = ReturnType<typeof createDisk>

/** Only the path counts: the binding leads to the host process, whatever the host name. */
const ORIGIN = "http://host"
const ANSWER_MS = 5_000

/** Asks the host process of `npm start`, which is the binding HOST. A deployed Worker has none. */
export function createDisk({ HOST }: Pick<Bindings, "HOST">, { log }: { readonly log: Log }) {
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
    /** Null where the platform stores the data, and when the host process does not answer. Never rejects. */
    space: (): Promise<DiskSpace | null> => read(DISK_PATHS.space, DiskSpace),
    /** The bytes of each store, which may be a minute old. Null like `space`, and when they are not measured in time. */
    stores: (): Promise<StoreSizes | null> => read(DISK_PATHS.stores, StoreSizes),
  }
}

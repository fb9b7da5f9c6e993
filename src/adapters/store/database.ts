import { createClient } from "@libsql/client/web"
import { drizzle } from "drizzle-orm/libsql/web"
import { AppError } from "../../errors.ts"
import { inTime } from "../in-time.ts"

const TIMEOUT_MS = 3_000

export type Database = ReturnType<typeof openDatabase>

type Fetching = typeof fetch

export interface DatabaseOptions {
  readonly fetch?: Fetching
  /** What each round trip is done within. */
  readonly around?: <T>(roundTrip: () => Promise<T>) => Promise<T>
}

/**
 * A database handle for one request. Never keep one at module scope: the client's queue crosses request contexts there
 * and hangs the second request. It speaks HTTP only, so making one costs nothing.
 */
export function openDatabase(
  { url, authToken }: { url: string; authToken: string | undefined },
  { fetch = globalThis.fetch, around = (roundTrip) => roundTrip() }: DatabaseOptions = {},
) {
  const fetchAround: Fetching = (input, init) => around(() => fetchInTime(fetch, input, init))
  const client = createClient({ url, ...(authToken ? { authToken } : {}), fetch: fetchAround })
  return drizzle({ client, casing: "snake_case" })
}

/** Answers within TIMEOUT_MS or says the store is unavailable, so that an outage is 503 and never "not found". */
async function fetchInTime(fetch: Fetching, ...[input, init]: Parameters<Fetching>): Promise<Response> {
  try {
    return await inTime(TIMEOUT_MS, async (signal) => {
      const response = await fetch(input, { ...init, signal })
      if (isOutOfOrder(response)) {
        await response.body?.cancel()
        throw new Error(`the store answered ${response.status}`)
      }
      return new Response(await response.arrayBuffer(), response)
    })
  } catch (cause) {
    throw new AppError("unavailable", "the result store does not answer; try again shortly", {
      cause,
      headers: { "retry-after": "5" },
    })
  }
}

/** The server itself or what stands in front of it; what is wrong with a statement comes as 200 or 4xx. */
function isOutOfOrder({ status }: Response): boolean {
  return status === 429 || status >= 500
}

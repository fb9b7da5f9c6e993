import { createClient } from "@libsql/client/web"
import { drizzle } from "drizzle-orm/libsql/web"
import { inTime } from "../../concurrency/with-timeout.ts"
import { AppError } from "../../errors.ts"

const TIMEOUT_MS = 3_000

export type Database = ReturnType<typeof openDatabase>

type Fetching = typeof fetch

export interface DatabaseOptions {
  readonly fetch?: Fetching
  /** Wraps each round trip, for example to trace it. */
  readonly around?: <T>(roundTrip: () => Promise<T>) => Promise<T>
}

/**
 * Opens a database handle for one request. Never store it at module scope: the client's queue would cross request
 * contexts and hang the second request. The client uses HTTP only, so creating it costs nothing.
 */
export function openDatabase(
  { url, authToken }: { url: string; authToken: string | undefined },
  { fetch = globalThis.fetch, around = (roundTrip) => roundTrip() }: DatabaseOptions = {},
) {
  const fetchAround: Fetching = (input, init) => around(() => fetchInTime(fetch, input, init))
  const client = createClient({ url, ...(authToken ? { authToken } : {}), fetch: fetchAround })
  return drizzle({ client, casing: "snake_case" })
}

/** Fails with "unavailable" after TIMEOUT_MS, so that an outage gives a 503 and never "not found". */
async function fetchInTime(fetch: Fetching, ...[input, init]: Parameters<Fetching>): Promise<Response> {
  try {
    return await inTime(TIMEOUT_MS, async (signal) => {
      const response = await fetch(input, { ...init, signal })
      if (isServerFailure(response)) {
        await response.body?.cancel()
        throw new Error(`the store answered ${response.status}`)
      }
      return new Response(await response.arrayBuffer(), response)
    })
  } catch (cause) {
    throw new AppError("unavailable", "the result store does not answer; try again shortly", {
      cause,
      retryAfterSeconds: 5,
    })
  }
}

/** Whether the server or its proxy failed. An error in a statement arrives as 200 or 4xx. */
function isServerFailure({ status }: Response): boolean {
  return status === 429 || status >= 500
}

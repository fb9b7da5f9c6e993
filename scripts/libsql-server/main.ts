import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { lockFolder } from "../data/data-dir.ts"
import { Connection, type LogSyncOptions } from "./connection.ts"
import { type HandlerOptions, handle, refusalFor } from "./http-handler.ts"

export interface LibsqlServerOptions
  extends Partial<Pick<HandlerOptions, "lockWaitMs" | "maxBodyBytes" | "maxResponseBytes">> {
  /** The database file; its folder is created. */
  readonly file: string
  readonly host?: string
  /** 0 picks a free one. */
  readonly port?: number
  /** Required as a bearer token when set. */
  readonly authToken?: string | undefined
  /** "full", the default, survives a power failure. "normal" only survives the end of the process. */
  readonly synchronous?: "full" | "normal"
  /** Syncs the open write-ahead log to disk. Tests replace it. */
  readonly sync?: LogSyncOptions["sync"]
  /** The disk failed, so that no further request succeeds. */
  readonly onSyncFailure?: LogSyncOptions["onFailure"]
}

/** Length of the accept queue. Node's default of 511 is shorter than one burst of the Worker. */
const BACKLOG = 1_024
const STOP_WITHIN_MS = 5_000
/** Longer than the clients' own keep-alive, so that no client sends on a connection that is closing. */
const KEEP_ALIVE_MS = 75_000

/**
 * Serves one database file to `@libsql/client/web` in place of sqld, except interactive transactions. It runs one request
 * after the other: the engine blocks the process in any case.
 */
export async function startLibsqlServer(options: LibsqlServerOptions) {
  const { file, host = "127.0.0.1", port = 0, authToken, maxResponseBytes = 10_000_000 } = options
  mkdirSync(dirname(file), { recursive: true })
  const logSync = { sync: options.sync, onFailure: options.onSyncFailure ?? (() => undefined) }
  const connection = new Connection(file, options.synchronous === "normal" ? null : logSync)
  const settings: HandlerOptions = {
    connection,
    refusal: refusalFor(authToken),
    lockWaitMs: options.lockWaitMs ?? 10_000,
    maxBodyBytes: options.maxBodyBytes ?? 32 * 1024 * 1024,
    maxResponseBytes,
    onBug: (error) => console.error(error),
  }
  const openResponses = new Set<ServerResponse>()
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    openResponses.add(response)
    response.once("close", () => openResponses.delete(response))
    void handle(settings, request, response)
  })
  try {
    await once(server.listen({ host, port, backlog: BACKLOG }), "listening")
  } catch (error) {
    await connection.close()
    throw error
  }
  const address = server.address() as AddressInfo
  let stopped: Promise<void> | undefined
  const stop = async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    const answered = Promise.all([...openResponses].map((response) => once(response, "close")))
    await Promise.race([answered, sleep(STOP_WITHIN_MS, undefined, { ref: false })])
    server.closeAllConnections()
    await closed
    await connection.close()
  }
  return {
    url: `http://${host}:${address.port}`,
    port: address.port,
    /** Waits for open requests and closes the file. */
    stop: (): Promise<void> => {
      stopped ??= stop()
      return stopped
    },
  }
}

export type LibsqlServer = Awaited<ReturnType<typeof startLibsqlServer>>

if (import.meta.main) {
  const { LIBSQL_PORT = "8080", DATA_DIR = ".data", LIBSQL_AUTH_TOKEN } = process.env
  const file = join(DATA_DIR, "mailverdict.db")
  // The database files contain addresses: only this user may read them.
  process.umask(0o077)
  try {
    mkdirSync(DATA_DIR, { recursive: true })
    const unlock = lockFolder(DATA_DIR)
    const server = await startLibsqlServer({
      file,
      port: Number(LIBSQL_PORT),
      authToken: LIBSQL_AUTH_TOKEN,
      onSyncFailure(error) {
        const { message } = error as Error
        console.error(`The database ends, because the disk failed to store its last writes: ${message}`)
        process.exit(1)
      },
    })
    // Without exit, the listener on standard input would keep the process running.
    const end = async () => {
      await server.stop()
      unlock()
      process.exit()
    }
    for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, end)
    console.log(`libSQL ready at ${server.url}, file ${file}`)
  } catch (error) {
    console.error(`The database did not start (${file}): ${(error as Error).message}`)
    process.exit(1)
  }
}

import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { LibsqlDatabase } from "./libsql/database.ts"
import { handle } from "./libsql/http-handler.ts"
import { lockFolder } from "./libsql/lock-folder.ts"
import { Streams } from "./libsql/streams.ts"

export interface LibsqlServerOptions {
  /** The database file; its folder is created. */
  readonly file: string
  readonly host?: string
  /** 0 picks a free one. */
  readonly port?: number
  /** Required as a bearer token when set. */
  readonly authToken?: string | undefined
  readonly synchronous?: "full" | "normal"
  /** A stream without requests ends after this (sqld: 10 s). */
  readonly streamIdleMs?: number
  /** A transaction is rolled back after this (sqld: 5 s). */
  readonly transactionMs?: number
  /** A writer that waits longer for its turn hears SQLITE_BUSY. */
  readonly lockWaitMs?: number
  readonly maxBodyBytes?: number
  /** Rows of one request in JSON, about (sqld: 10 MB). */
  readonly maxResponseBytes?: number
  readonly maxStreams?: number
}

export interface LibsqlServer {
  readonly url: string
  readonly port: number
  /** Lets requests under way finish, rolls back what is open and closes the file. */
  stop(): Promise<void>
}

/** Connections that may wait to be accepted; Node's 511 is fewer than one burst of the Worker. */
const BACKLOG = 1_024
const STOP_WITHIN_MS = 5_000
/** Longer than the clients keep theirs, so that they never send on a connection that is being closed. */
const KEEP_ALIVE_MS = 75_000

/** Serves one database file over Hrana (HTTP, JSON, versions 2 and 3), for `@libsql/client/web` a stand-in for sqld. */
export async function startLibsqlServer(options: LibsqlServerOptions): Promise<LibsqlServer> {
  const { file, host = "127.0.0.1", port = 0, authToken, maxResponseBytes = 10_000_000 } = options
  mkdirSync(dirname(file), { recursive: true })
  const database = new LibsqlDatabase({
    file,
    synchronous: options.synchronous ?? "full",
    lockWaitMs: options.lockWaitMs ?? 10_000,
    transactionMs: options.transactionMs ?? 5_000,
    maxResponseBytes,
  })
  const limits = { idleMs: options.streamIdleMs ?? 10_000, maxStreams: options.maxStreams ?? 2_000 }
  const streams = new Streams(database, limits)
  const maxBodyBytes = options.maxBodyBytes ?? 32 * 1024 * 1024
  const settings = {
    streams,
    authToken,
    maxBodyBytes,
    maxResponseBytes,
    onBug: (error: unknown) => console.error(error),
  }
  const underWay = new Set<ServerResponse>()
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    underWay.add(response)
    response.once("close", () => underWay.delete(response))
    void handle(settings, request, response)
  })
  try {
    await once(server.listen({ host, port, backlog: BACKLOG }), "listening")
  } catch (error) {
    database.close()
    throw error
  }
  const address = server.address() as AddressInfo
  let stopped: Promise<void> | undefined
  const stop = async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    streams.closeIdle()
    const answered = Promise.all([...underWay].map((response) => once(response, "close")))
    await Promise.race([answered, sleep(STOP_WITHIN_MS, undefined, { ref: false })])
    server.closeAllConnections()
    await closed
    streams.closeAll()
    database.close()
  }
  return {
    url: `http://${host}:${address.port}`,
    port: address.port,
    stop: () => {
      stopped ??= stop()
      return stopped
    },
  }
}

if (import.meta.main) {
  const { LIBSQL_PORT = "8080", DATA_DIR = ".data", LIBSQL_AUTH_TOKEN } = process.env
  const file = join(DATA_DIR, "mailverdict.db")
  try {
    mkdirSync(DATA_DIR, { recursive: true })
    const letGo = lockFolder(DATA_DIR)
    const server = await startLibsqlServer({ file, port: Number(LIBSQL_PORT), authToken: LIBSQL_AUTH_TOKEN })
    // The starter's watch on standard input would keep the process alive.
    const end = () =>
      server
        .stop()
        .then(letGo)
        .then(() => process.exit())
    for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, end)
    console.log(`libSQL ready at ${server.url}, file ${file}`)
  } catch (error) {
    console.error(`The database did not start (${file}): ${(error as Error).message}`)
    process.exit(1)
  }
}

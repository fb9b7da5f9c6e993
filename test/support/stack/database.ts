import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { migrate } from "../../../scripts/data/migrate.ts"
import { startLibsqlServer } from "../../../scripts/libsql-server/main.ts"
import { type DatabaseOptions, openDatabase } from "../../../src/adapters/store/database.ts"

/** A new migrated database behind the real server, for tests of stores. */
export async function startDatabase() {
  const folder = mkdtempSync(join(tmpdir(), "mailverdict-db-"))
  const server = await startLibsqlServer({
    file: join(folder, "test.db"),
    host: "127.0.0.1",
    port: 0,
    authToken: "test",
  })
  const address = { url: server.url, authToken: "test" }
  await migrate(address)
  return {
    folder,
    open: (options?: DatabaseOptions) => openDatabase(address, options),
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

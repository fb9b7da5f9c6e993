import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { createClient } from "@libsql/client/web"
import { migrate as applyMigrations } from "drizzle-orm/libsql/migrator"
import { drizzle } from "drizzle-orm/libsql/web"
import { rootCause } from "../../src/errors.ts"
import { startChild } from "../dev/child.ts"
import { useProxyFromEnvironment } from "../dev/outgoing-http.ts"
import { readEnvFile } from "../dev/settings.ts"
import { DATABASE } from "./backup-set.ts"
import { addressIn, type DatabaseAddress } from "./copy-database.ts"
import { appliedMigrations, isOlder, olderDatabase, refuseOlder } from "./data-dir.ts"

/** The migrations of this version. */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL("../../schema/migrations", import.meta.url))

/**
 * Applies the migrations that a database lacks. Run it before deploying a Worker that needs them.
 * @param migrationsFolder another one, for tests
 * @param place what an error calls the database
 * @throws Error with the cause of the failed statement, or when the database is from an older version
 */
export async function migrate({
  url,
  authToken,
  migrationsFolder = MIGRATIONS_FOLDER,
  place = "LIBSQL_URL",
}: DatabaseAddress & { readonly migrationsFolder?: string; readonly place?: string }): Promise<void> {
  let older = false
  try {
    const client = createClient({ url, ...(authToken ? { authToken } : {}) })
    const database = drizzle({ client })
    older = isOlder(await appliedMigrations((statement) => database.all(statement)))
    if (!older) await applyMigrations(database, { migrationsFolder })
    client.close()
  } catch (error) {
    throw new Error(`${place}: cannot migrate the database: ${rootCause(error).message}`, { cause: error })
  }
  const action = "Set LIBSQL_URL to a new database, or export the data with the version that created it."
  if (older) throw new Error(olderDatabase(`LIBSQL_URL: the database at ${withoutToken(url)}`, action))
}

/** A URL of a database may hold the token in its query, or a password before the host. */
function withoutToken(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname === "/" ? "" : pathname}`
}

/**
 * Applies the migrations that the database in a data folder lacks. The service, which does it at each start, must be
 * stopped.
 * @throws Error like `migrate`, or while the service runs
 */
async function migrateFolder(dataDir: string): Promise<void> {
  refuseOlder(join(dataDir, DATABASE))
  const env = { DATA_DIR: dataDir, LIBSQL_PORT: "0" }
  const server = await startChild("database", "scripts/libsql-server/main.ts", { env, onLine: () => undefined })
  try {
    await migrate({ url: /http:[^\s,]+/.exec(server.readyLine)![0], place: "DATA_DIR" })
  } finally {
    await server.stop()
  }
}

if (import.meta.main) {
  readEnvFile()
  useProxyFromEnvironment()
  const dataDir = process.env.DATA_DIR || ".data"
  const address = addressIn(process.env)
  if (!address && !existsSync(join(dataDir, DATABASE))) {
    console.error(
      `LIBSQL_URL is not set, and ${dataDir} has no database. Set LIBSQL_URL to the database to migrate, ` +
        "for example http://127.0.0.1:8080, or DATA_DIR to the data folder.",
    )
    process.exitCode = 2
  } else {
    try {
      await (address ? migrate(address) : migrateFolder(dataDir))
      console.log("The database is up to date.")
    } catch (error) {
      console.error((error as Error).message)
      process.exitCode = 1
    }
  }
}

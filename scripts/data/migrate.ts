import { fileURLToPath } from "node:url"
import { createClient } from "@libsql/client/web"
import { migrate as applyMigrations } from "drizzle-orm/libsql/migrator"
import { drizzle } from "drizzle-orm/libsql/web"
import { rootCause } from "../../src/errors.ts"
import { readEnvFile } from "../dev/env-file.ts"
import { useProxyFromEnvironment } from "../dev/outgoing-http.ts"
import { appliedMigrations, isOlder, olderDatabase } from "./older-database.ts"

const migrationsFolder = fileURLToPath(new URL("../../schema/migrations", import.meta.url))

/**
 * Applies the migrations that a database lacks. Run it before deploying a Worker that needs them.
 * @throws Error with the cause of the failed statement, or when the database is from an older version
 */
export async function migrate({ url, authToken }: { url: string; authToken?: string | undefined }): Promise<void> {
  let older = false
  try {
    const client = createClient({ url, ...(authToken ? { authToken } : {}) })
    const database = drizzle({ client })
    older = isOlder(await appliedMigrations((statement) => database.all(statement)))
    if (!older) await applyMigrations(database, { migrationsFolder })
    client.close()
  } catch (error) {
    throw new Error(`LIBSQL_URL: cannot migrate the database: ${rootCause(error).message}`, { cause: error })
  }
  if (older)
    throw new Error(
      olderDatabase(
        `LIBSQL_URL: the database at ${withoutToken(url)}`,
        "Set LIBSQL_URL to a new database, or export the data with the version that created it.",
      ),
    )
}

/** A URL of a database may hold the token in its query, or a password before the host. */
function withoutToken(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname === "/" ? "" : pathname}`
}

if (import.meta.main) {
  readEnvFile()
  useProxyFromEnvironment()
  const { LIBSQL_URL, LIBSQL_AUTH_TOKEN } = process.env
  if (!LIBSQL_URL) {
    console.error("LIBSQL_URL is not set. Set it to the database to migrate, for example http://127.0.0.1:8080")
    process.exitCode = 2
  } else {
    try {
      await migrate({ url: LIBSQL_URL, authToken: LIBSQL_AUTH_TOKEN })
      console.log("The database is up to date.")
    } catch (error) {
      console.error((error as Error).message)
      process.exitCode = 1
    }
  }
}

import { fileURLToPath } from "node:url"
import { createClient } from "@libsql/client/web"
import { migrate as applyMigrations } from "drizzle-orm/libsql/migrator"
import { drizzle } from "drizzle-orm/libsql/web"
import { readEnvFile } from "./env-file.ts"

const migrationsFolder = fileURLToPath(new URL("../schema/migrations", import.meta.url))

/**
 * Applies the migrations a database does not have yet. Run before the Worker that needs them is deployed.
 * @throws Error with the reason behind a statement that failed
 */
export async function migrate({ url, authToken }: { url: string; authToken?: string | undefined }): Promise<void> {
  try {
    const client = createClient({ url, ...(authToken ? { authToken } : {}) })
    await applyMigrations(drizzle({ client }), { migrationsFolder })
    client.close()
  } catch (error) {
    throw new Error(`LIBSQL_URL: the database could not be brought up to date: ${reasonOf(error)}`, { cause: error })
  }
}

/** What lies at the bottom of an error: the library's own words begin with the statement. */
function reasonOf(error: unknown): string {
  let bottom = error
  while (bottom instanceof Error && bottom.cause instanceof Error) bottom = bottom.cause
  return bottom instanceof Error ? bottom.message : String(bottom)
}

if (import.meta.main) {
  readEnvFile()
  const { LIBSQL_URL, LIBSQL_AUTH_TOKEN } = process.env
  if (!LIBSQL_URL) {
    console.error("LIBSQL_URL is not set: it names the database to migrate, for example http://127.0.0.1:8080")
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

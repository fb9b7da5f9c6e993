import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { createClient } from "@libsql/client/web"
import { migrate as applyMigrations } from "drizzle-orm/libsql/migrator"
import { drizzle } from "drizzle-orm/libsql/web"

const migrationsFolder = fileURLToPath(new URL("../schema/migrations", import.meta.url))

/** Applies the migrations a database does not have yet. Run before the Worker that needs them is deployed. */
export async function migrate({ url, authToken }: { url: string; authToken?: string | undefined }): Promise<void> {
  const client = createClient({ url, ...(authToken ? { authToken } : {}) })
  await applyMigrations(drizzle({ client }), { migrationsFolder })
  client.close()
}

if (import.meta.main) {
  if (existsSync(".env")) process.loadEnvFile(".env")
  const { LIBSQL_URL, LIBSQL_AUTH_TOKEN } = process.env
  if (!LIBSQL_URL) {
    console.error("LIBSQL_URL is not set: it names the database to migrate, for example http://127.0.0.1:8080")
    process.exitCode = 2
  } else {
    await migrate({ url: LIBSQL_URL, authToken: LIBSQL_AUTH_TOKEN })
    console.log("The database is up to date.")
  }
}

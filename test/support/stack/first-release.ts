import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { createClient } from "@libsql/client/web"
import { migrate } from "drizzle-orm/libsql/migrator"
import { drizzle } from "drizzle-orm/libsql/web"
import journal from "../../../schema/migrations/meta/_journal.json" with { type: "json" }
import { startChild } from "../../../scripts/dev/child.ts"
import firstRelease from "../inputs/first-release.json" with { type: "json" }

const MIGRATIONS = fileURLToPath(new URL("../../../schema/migrations", import.meta.url))
const ROWS = new URL("../inputs/first-release.sql", import.meta.url)

/** A key of the account in the first release's data, and its bulk job. */
export const { apiKey, jobId } = firstRelease

/** Creates a data folder as the first release left it: the tables of the initial migration, its rows and secrets. */
export async function writeFirstRelease(dataDir: string): Promise<void> {
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(join(dataDir, "secrets.json"), JSON.stringify(firstRelease.secrets), { mode: 0o600 })
  const server = await startServer(dataDir)
  const client = createClient({ url: server.url })
  const migrations = initialMigration()
  await migrate(drizzle({ client }), { migrationsFolder: migrations })
  await client.executeMultiple(readFileSync(ROWS, "utf8").replaceAll("@now", String(Date.now())))
  client.close()
  await server.stop()
  rmSync(migrations, { recursive: true })
}

/**
 * Serves the database of a folder as a process of its own: libsql keeps a file open in its process until the garbage
 * collector runs, also after a stop.
 */
export async function startServer(dataDir: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const env = { DATA_DIR: dataDir, LIBSQL_PORT: "0" }
  const child = await startChild("database", "scripts/libsql-server/main.ts", { env, onLine: () => undefined })
  return { url: /http:\S+(?=,)/.exec(child.readyLine)![0], stop: child.stop }
}

/** A folder with the first of the migrations only. */
function initialMigration(): string {
  const folder = mkdtempSync(join(tmpdir(), "mailverdict-initial-"))
  const [first] = journal.entries
  cpSync(join(MIGRATIONS, `${first!.tag}.sql`), join(folder, `${first!.tag}.sql`))
  mkdirSync(join(folder, "meta"))
  writeFileSync(join(folder, "meta/_journal.json"), JSON.stringify({ ...journal, entries: [first] }))
  return folder
}

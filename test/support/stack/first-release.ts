import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createClient } from "@libsql/client/web"
import journal from "../../../schema/migrations/meta/_journal.json" with { type: "json" }
import released from "../../../schema/released-migrations.json" with { type: "json" }
import { MIGRATIONS_FOLDER, migrate } from "../../../scripts/data/migrate.ts"
import { startChild } from "../../../scripts/dev/child.ts"
import firstRelease from "../inputs/first-release.json" with { type: "json" }

const ROWS = new URL("../inputs/first-release.sql", import.meta.url)

/** A key of the first account in the data, its bulk job and its uploaded file, and a session of the second. */
export const { apiKey, jobId, uploadId, session } = firstRelease
/** Its version. */
export const FIRST_RELEASE = "0.1.0"

/** Creates a data folder as the first release left it: the tables of its migrations, rows and secrets. */
export async function writeFirstRelease(dataDir: string): Promise<void> {
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(join(dataDir, "secrets.json"), JSON.stringify(firstRelease.secrets), { mode: 0o600 })
  const migrations = mkdtempSync(join(tmpdir(), "mailverdict-released-"))
  writeMigrations(migrations, releasedEntries())
  const server = await startServer(dataDir)
  try {
    await migrate({ url: server.url, migrationsFolder: migrations })
    await writeFirstRows(server.url)
  } finally {
    await server.stop()
    rmSync(migrations, { recursive: true })
  }
}

/** Writes the rows of the first release as it writes them, to a database server. */
export async function writeFirstRows(url: string): Promise<void> {
  const client = createClient({ url })
  await client.executeMultiple(rowsAt(new Date()))
  client.close()
}

function rowsAt(now: Date): string {
  const day = now.toISOString().slice(0, 10)
  const rows = readFileSync(ROWS, "utf8").replaceAll("@now", String(now.getTime()))
  return rows.replaceAll("@day", day).replaceAll("@month", day.slice(0, 7))
}

/** A migration that this version lacks. */
export interface LaterMigration {
  readonly tag: string
  readonly sql: string
}

/** Writes the migrations of this version and a later one, as a later version has them. @returns the later one's time */
export function writeLaterMigrations(folder: string, { tag, sql }: LaterMigration): number {
  const when = journal.entries.at(-1)!.when + 1
  const later = { ...journal.entries.at(-1)!, idx: journal.entries.length, when, tag }
  writeFileSync(join(folder, `${tag}.sql`), sql)
  writeMigrations(folder, [...journal.entries, later])
  return when
}

type Entry = (typeof journal.entries)[number]

const releasedEntries = (): Entry[] => {
  const tags = released[FIRST_RELEASE].map(({ tag }) => tag)
  return journal.entries.filter(({ tag }) => tags.includes(tag))
}

/** Writes migrations in the form of drizzle-kit, each from this version unless the folder has it. */
function writeMigrations(folder: string, entries: readonly Entry[]): void {
  for (const { tag } of entries)
    if (!existsSync(join(folder, `${tag}.sql`)))
      cpSync(join(MIGRATIONS_FOLDER, `${tag}.sql`), join(folder, `${tag}.sql`))
  mkdirSync(join(folder, "meta"), { recursive: true })
  writeFileSync(join(folder, "meta/_journal.json"), JSON.stringify({ ...journal, entries }))
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

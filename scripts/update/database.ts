import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { createClient } from "@libsql/client/web"
import { rootCause } from "../../src/errors.ts"
import { DATABASE } from "../data/backup-set.ts"
import { addressIn } from "../data/copy-database.ts"
import { appliedMigrations, openToRead } from "../data/older-database.ts"
import type { ChangedTable } from "./migration-plan.ts"

type Settings = Readonly<Record<string, string | undefined>>
type Query = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>

/** What an update has to know of the database. It was only read. */
export interface DatabaseState {
  /** Times of its migrations. */
  readonly applied: readonly number[]
  readonly bytes: number
  /** Counts the rows of those tables that exist. */
  rowsOf(tables: readonly ChangedTable[]): Promise<(ChangedTable & { readonly rows: number })[]>
  close(): void
}

/** Whether there is a database to back up: at LIBSQL_URL, or in the data folder. */
export function hasDatabase(dataDir: string, settings: Settings): boolean {
  return addressIn(settings) !== null || existsSync(join(dataDir, DATABASE))
}

/** Opens the database of the settings to read. @returns null when the data folder has none yet */
export async function openState(dataDir: string, settings: Settings): Promise<DatabaseState | null> {
  const address = addressIn(settings)
  const file = join(dataDir, DATABASE)
  if (!hasDatabase(dataDir, settings)) return null
  const { query, close } = address ? openServer(address) : openFile(file)
  try {
    const tables = (await query("SELECT name FROM sqlite_schema WHERE type = 'table'")).map(({ name }) => String(name))
    return {
      applied: await appliedMigrations(query),
      bytes: address ? await pagesOf(query) : statSync(file).size,
      async rowsOf(changed) {
        const present = changed.filter(({ name }) => tables.includes(name))
        return Promise.all(
          present.map(async (table) => {
            const [row] = await query(`SELECT count(*) AS amount FROM "${table.name}"`)
            return { ...table, rows: Number(row!.amount) }
          }),
        )
      },
      close,
    }
  } catch (error) {
    close()
    throw new Error(`${address ? "LIBSQL_URL" : file}: cannot read the database: ${rootCause(error).message}`, {
      cause: error,
    })
  }
}

interface Opened {
  readonly query: Query
  readonly close: () => void
}

function openServer({ url, authToken }: { url: string; authToken?: string | undefined }): Opened {
  const client = createClient({ url, ...(authToken ? { authToken } : {}) })
  return { query: async (sql) => (await client.execute(sql)).rows, close: () => client.close() }
}

function openFile(file: string): Opened {
  const database = openToRead(file)
  const query: Query = async (sql) => database.prepare(sql).all() as Record<string, unknown>[]
  return { query, close: () => database.close() }
}

/** 0 where a server does not allow the question. */
async function pagesOf(query: Query): Promise<number> {
  const size = query("SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()")
  return size.then(
    ([row]) => Number(row?.bytes ?? 0),
    () => 0,
  )
}

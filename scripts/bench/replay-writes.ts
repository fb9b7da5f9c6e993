import { join } from "node:path"
import Database from "libsql"
import { DATABASE } from "../data/backup-set.ts"
import { startChild } from "../dev/child.ts"
import { parsePipeline } from "../libsql-server/protocol.ts"
import type { ProxySettings, Trip } from "./database-proxy.ts"

/**
 * The database of `npm start` behind a proxy that delays and records its calls. Each is a process of its own.
 * @param folder of the database alone: a service locks the folder of its data
 */
export async function startProxiedDatabase(folder: string) {
  const authToken = "bench"
  const onLine = (line: string) => console.error(line)
  const database = await startChild("database", "scripts/libsql-server/main.ts", {
    env: { DATA_DIR: folder, LIBSQL_PORT: "0", LIBSQL_AUTH_TOKEN: authToken },
    onLine,
  })
  const proxy = await startChild("proxy", "scripts/bench/database-proxy.ts", {
    env: { DATABASE_URL: /http:\S+\d/.exec(database.readyLine)![0] },
    onLine,
  })
  const control = `${proxy.readyLine}/proxy`
  return {
    url: proxy.readyLine,
    authToken,
    file: join(folder, DATABASE),
    /** The process of the database. */
    pid: database.pid,
    set: (settings: ProxySettings) => fetch(control, { method: "PUT", body: JSON.stringify(settings) }),
    /** The trips since the last call, in the order of their arrival. */
    recordedTrips: async () => (await (await fetch(control)).json()) as Trip[],
    stop: () => Promise.all([proxy.stop(), database.stop()]),
  }
}

/** What a request to the database wrote. */
interface Written {
  /** Rows inserted, updated or deleted, those of triggers included. */
  readonly rows: number
  /** Entries of indexes that were added or removed with them. */
  readonly entries: number
}

/** Runs recorded requests again on a copy of the database and counts what each of them writes. */
export function replayWrites(file: string, bodies: readonly string[]): Written[] {
  const database = new Database(file)
  try {
    countWrites(database)
    return bodies.map((body) => replay(database, body))
  } finally {
    database.close()
  }
}

/** Counts by temporary triggers on every table, which also see what other triggers write. */
function countWrites(database: Database.Database): void {
  database.exec("CREATE TEMP TABLE written (rows INTEGER, entries INTEGER); INSERT INTO written VALUES (0, 0)")
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'")
  for (const { name } of tables.all() as { name: string }[]) {
    const indexes = indexesOf(database, name)
    const changed = indexes.map((columns) => {
      const differs = columns.map((column) => `old."${column}" IS NOT new."${column}"`)
      return `2 * (${differs.join(" OR ") || "0"})`
    })
    const counting = (when: string, entries: string) =>
      database.exec(`CREATE TEMP TRIGGER "${when} ${name}" AFTER ${when} ON main."${name}" BEGIN
        UPDATE written SET rows = rows + 1, entries = entries + ${entries}; END`)
    counting("INSERT", String(indexes.length))
    counting("DELETE", String(indexes.length))
    counting("UPDATE", changed.join(" + ") || "0")
  }
}

/** The columns of each index of a table. An expression counts as no column. */
function indexesOf(database: Database.Database, table: string): string[][] {
  const indexes = database.prepare(`SELECT name FROM pragma_index_list('${table}')`).all() as { name: string }[]
  return indexes.map(({ name }) => {
    const columns = database.prepare(`SELECT name FROM pragma_index_info('${name}')`).all() as { name: string | null }[]
    return columns.flatMap((column) => column.name ?? [])
  })
}

function replay(database: Database.Database, body: string): Written {
  const requests = parsePipeline(body)
  // A request sends each text once, and its statements name it by number.
  const texts = new Map<unknown, string>()
  for (const request of requests) if (request.type === "store_sql") texts.set(request.sql_id, request.sql)
  const statements = requests.flatMap((request) => {
    if (request.type === "execute") return [request.stmt]
    return request.type === "batch" ? request.batch.steps.map(({ stmt }) => stmt) : []
  })
  database.exec("UPDATE written SET rows = 0, entries = 0")
  for (const { sql: text, sql_id, args } of statements) {
    const sql = text ?? texts.get(sql_id) ?? ""
    // The copy has one writer and needs no transaction.
    if (/^\s*(BEGIN|COMMIT|ROLLBACK)\b/i.test(sql)) continue
    const statement = database.prepare(sql)
    if (statement.reader) statement.all(...(args ?? []))
    else statement.run(...(args ?? []))
  }
  return database.prepare("SELECT rows, entries FROM written").get() as Written
}

/** The mean size of the rows of each table in bytes, without indexes. */
export function meanRowBytes(file: string, tables: readonly string[]): [table: string, bytes: number][] {
  const database = new Database(file, { readonly: true })
  try {
    return tables.map((table) => {
      const columns = database.prepare(`SELECT name FROM pragma_table_info('${table}')`).all() as { name: string }[]
      const length = columns.map(({ name }) => `coalesce(length(CAST("${name}" AS BLOB)), 0)`).join(" + ")
      const { bytes } = database.prepare(`SELECT avg(${length}) AS bytes FROM ${table}`).get() as { bytes: number }
      return [table, Math.round(bytes)]
    })
  } finally {
    database.close()
  }
}

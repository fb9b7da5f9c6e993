import Database from "libsql"
import { z } from "zod"

const Value = z.object({
  type: z.string(),
  value: z.union([z.string(), z.number()]).optional(),
  base64: z.string().optional(),
})
const Statement = z.object({ sql: z.string().optional(), sql_id: z.int().optional(), args: z.array(Value).default([]) })
const Pipeline = z.object({
  requests: z.array(
    z.object({
      type: z.string(),
      sql_id: z.int().optional(),
      sql: z.string().nullish(),
      stmt: Statement.optional(),
      batch: z.object({ steps: z.array(z.object({ stmt: Statement })) }).optional(),
    }),
  ),
})

/** What a request to the database wrote. */
export interface Written {
  /** Rows inserted, updated or deleted, those of triggers included, index entries not. */
  readonly rows: number
  /** The tables that its statements name, without those of triggers. */
  readonly tables: readonly string[]
}

/** Runs recorded requests again on a copy of the database and counts the rows that each of them writes. */
export function replayWrites(file: string, bodies: readonly string[]): Written[] {
  const database = new Database(file)
  try {
    return bodies.map((body) => replay(database, body))
  } finally {
    database.close()
  }
}

function replay(database: Database.Database, body: string): Written {
  const { requests } = Pipeline.parse(JSON.parse(body))
  // A request sends each text once, and its statements name it by number.
  const texts = new Map(requests.flatMap(({ type, sql_id, sql }) => (type === "store_sql" ? [[sql_id, sql]] : [])))
  const statements = requests.flatMap(({ stmt, batch }) => [
    ...(stmt ? [stmt] : []),
    ...(batch ? batch.steps.map((step) => step.stmt) : []),
  ])
  const tables = new Set<string>()
  const before = totalChanges(database)
  for (const { sql: text, sql_id, args } of statements) {
    const sql = text ?? texts.get(sql_id) ?? ""
    // The copy has one writer and needs no transaction.
    if (/^\s*(BEGIN|COMMIT|ROLLBACK)\b/i.test(sql)) continue
    const statement = database.prepare(sql)
    const values = args.map(toNative)
    if (statement.reader) statement.all(...values)
    else statement.run(...values)
    const table = /^\s*(?:INSERT(?: OR \w+)? INTO|UPDATE|DELETE FROM)\s+"?(\w+)/i.exec(sql)?.[1]
    if (table) tables.add(table)
  }
  return { rows: totalChanges(database) - before, tables: [...tables] }
}

function totalChanges(database: Database.Database): number {
  return (database.prepare("SELECT total_changes() AS n").get() as { n: number }).n
}

function toNative({ type, value, base64 }: z.infer<typeof Value>): unknown {
  if (type === "null") return null
  if (type === "integer") return BigInt(value ?? 0)
  if (type === "blob") return Buffer.from(base64 ?? "", "base64")
  return value
}

/** Copies a database while its server uses it. */
export function copyDatabase(from: string, to: string): void {
  const source = new Database(from, { timeout: 10_000 })
  source.exec(`VACUUM INTO '${to}'`)
  source.close()
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

import {
  type Client,
  createClient,
  type InStatement,
  type InValue,
  type Row,
  type Transaction,
} from "@libsql/client/web"
import Database from "libsql"
import { fromText, toText } from "../libsql-server/protocol.ts"

/** A database server at LIBSQL_URL, such as sqld or Turso. */
export interface DatabaseAddress {
  readonly url: string
  readonly authToken?: string | undefined
}

/** The database server of the settings; null when they name none. */
export function addressIn(settings: Readonly<Record<string, string | undefined>>): DatabaseAddress | null {
  const { LIBSQL_URL: url, LIBSQL_AUTH_TOKEN: authToken } = settings
  return url ? { url, authToken } : null
}

interface SchemaObject {
  readonly type: "table" | "index" | "trigger" | "view"
  readonly name: string
  readonly sql: string
}

/** Drizzle's table of migrations. It is written last, so that an interrupted copy does not look complete. */
const MIGRATIONS = "__drizzle_migrations"
const PAGE_ROWS = 500
/** Characters of a batch. sqld accepts more, but answers faster with less. */
const BATCH_SIZE = 1_000_000
/** SQLite allows 32,766 parameters in a statement. */
const STATEMENT_PARAMETERS = 10_000
// Without the tables of SQLite and sqld. Indexes that SQLite creates itself have no text.
const SCHEMA = `SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
  AND name NOT LIKE 'libsql\\_%' ESCAPE '\\' ORDER BY type = 'trigger', type = 'view', type = 'index', rowid`
const SEQUENCES = "SELECT name, seq FROM sqlite_sequence"
const HAS_SEQUENCES = "SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'"

/**
 * Copies the database of a server into a new file, while the service runs: all tables as they are at one moment. The file
 * is as the embedded server would write it.
 * @throws Error when the server fails, or the database has no tables
 */
export async function copyFromServer(address: DatabaseAddress, file: string): Promise<void> {
  const client = connect(address)
  const target = new Database(file)
  try {
    target.exec("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; BEGIN")
    const source = await client.transaction("read")
    try {
      await copyTables(source, target)
    } finally {
      source.close()
    }
    target.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
  } catch (error) {
    throw new Error(`LIBSQL_URL: cannot copy the database: ${reasonOf(error)}`, { cause: error })
  } finally {
    target.close()
    client.close()
  }
}

/** The first row of a query at a server. @throws Error when the server fails, or refuses the query */
export async function readFromServer(address: DatabaseAddress, query: string): Promise<Row | undefined> {
  const client = connect(address)
  try {
    return (await client.execute(query)).rows[0]
  } catch (error) {
    throw new Error(`LIBSQL_URL: cannot read the database: ${reasonOf(error)}`, { cause: error })
  } finally {
    client.close()
  }
}

async function copyTables(source: Transaction, target: Database.Database): Promise<void> {
  const objects = (await source.execute(SCHEMA)).rows as unknown as SchemaObject[]
  if (objects.length === 0) throw new Error("it has no tables")
  const [tables, others] = split(objects)
  for (const { name, sql } of tables) {
    target.exec(sql)
    for await (const rows of pagesOf(source, name)) {
      const places = Array.from(rows[0]!, () => "?").join(", ")
      const insert = target.prepare(`INSERT INTO ${quoted(name)} VALUES (${places})`)
      for (const row of rows) insert.run(row.map(toFile))
    }
  }
  if ((await source.execute(HAS_SEQUENCES)).rows.length > 0) {
    target.exec("DELETE FROM sqlite_sequence")
    const insert = target.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)")
    for (const { name, seq } of (await source.execute(SEQUENCES)).rows) insert.run([name, seq])
  }
  for (const { sql } of others) target.exec(sql)
}

/** The rows of a table in pages, each row as its values. */
async function* pagesOf(source: Transaction, table: string): AsyncGenerator<InValue[][]> {
  let after: InValue = null
  let limit = PAGE_ROWS
  for (;;) {
    const isFirst = after === null
    const sql = `SELECT rowid, * FROM ${quoted(table)} ${isFirst ? "" : "WHERE rowid > ?"} ORDER BY rowid LIMIT ${limit}`
    try {
      const { rows } = await source.execute({ sql, args: isFirst ? [] : [after] })
      const values = rows.map((row) => Array.from(row as Row & ArrayLike<InValue>))
      if (values.length > 0) yield values.map((row) => row.slice(1))
      if (values.length < limit) return
      after = values.at(-1)![0]!
    } catch (error) {
      // Large rows: sqld and Turso answer at most 10 MB.
      if ((error as { code?: string }).code !== "RESPONSE_TOO_LARGE" || limit === 1) throw error
      limit = Math.ceil(limit / 10)
    }
  }
}

/**
 * Copies a database file into the empty database of a server.
 * @throws Error when the server fails, or its database has tables. After a failure the database is incomplete
 */
export async function copyToServer(file: string, address: DatabaseAddress): Promise<void> {
  const client = connect(address)
  const source = new Database(file, { readonly: true })
  source.defaultSafeIntegers(true)
  try {
    if ((await client.execute(SCHEMA)).rows.length > 0) throw new Error("it is not empty: name a new, empty database")
    await sendTables(source, client)
  } catch (error) {
    throw new Error(`LIBSQL_URL: cannot write the database: ${reasonOf(error)}`, { cause: error })
  } finally {
    source.close()
    client.close()
  }
}

async function sendTables(source: Database.Database, client: Client): Promise<void> {
  const [tables, others] = split(source.prepare(SCHEMA).all() as SchemaObject[])
  await client.migrate(tables.map(({ sql }) => sql))
  for (const { name } of tables) if (name !== MIGRATIONS) await sendRows(source, client, name)
  const sequences = source.prepare(HAS_SEQUENCES).all().length > 0 ? source.prepare(SEQUENCES).raw().all() : []
  const insert = (args: InValue[]) => ({ sql: "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", args })
  if (sequences.length > 0)
    await client.migrate(["DELETE FROM sqlite_sequence", ...(sequences as InValue[][]).map(insert)])
  if (others.length > 0) await client.migrate(others.map(({ sql }) => sql))
  if (tables.some(({ name }) => name === MIGRATIONS)) await sendRows(source, client, MIGRATIONS)
}

/** Without foreign keys, because a table may refer to a later one. */
async function sendRows(source: Database.Database, client: Client, table: string): Promise<void> {
  let batch: InStatement[] = []
  let values: InValue[] = []
  let [width, size] = [0, 0]
  const endStatement = () => {
    if (values.length === 0) return
    const places = `(${Array.from({ length: width }, () => "?").join(", ")})`
    const rows = Array.from({ length: values.length / width }, () => places)
    batch.push({ sql: `INSERT INTO ${quoted(table)} VALUES ${rows.join(", ")}`, args: values })
    values = []
  }
  const send = async () => {
    endStatement()
    if (batch.length > 0) await client.migrate(batch)
    batch = []
    size = 0
  }
  const rows = source
    .prepare(`SELECT * FROM ${quoted(table)} ORDER BY rowid`)
    .raw()
    .iterate() as Iterable<InValue[]>
  for (const row of rows) {
    width = row.length
    for (const value of row) size += typeof value === "string" || Buffer.isBuffer(value) ? value.length : 8
    values.push(...row.map((value) => (typeof value === "string" ? fromText(value) : value)))
    if (values.length + width > STATEMENT_PARAMETERS) endStatement()
    if (size > BATCH_SIZE) await send()
  }
  await send()
}

function connect({ url, authToken }: DatabaseAddress): Client {
  return createClient({ url, intMode: "bigint", ...(authToken ? { authToken } : {}) })
}

/** Tables, and what is created after their rows. */
function split(objects: readonly SchemaObject[]) {
  const { tables = [], others = [] } = Object.groupBy(objects, ({ type }) => (type === "table" ? "tables" : "others"))
  return [tables, others] as const
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function toFile(value: InValue): InValue {
  if (value instanceof ArrayBuffer) return Buffer.from(value)
  return typeof value === "string" ? toText(value) : value
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

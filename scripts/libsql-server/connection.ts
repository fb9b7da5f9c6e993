import Database from "libsql"
import { SqlError } from "./sql-error.ts"
import type { Statement } from "./statement.ts"
import { type SqlValue, toWire } from "./value.ts"

/** The result of one statement, as the protocol writes it. */
export interface StatementResult {
  readonly cols: readonly Column[]
  readonly rows: readonly (readonly object[])[]
  readonly affected_row_count: number
  readonly last_insert_rowid: string | null
}

export interface Column {
  readonly name: string
  readonly decltype: string | null
}

/** Remaining size of a response, shared by all statements of one request. */
export interface ResponseBudget {
  bytes: number
}

export interface RunInput {
  /** One value for each parameter, by index. */
  readonly args: readonly SqlValue[]
  readonly budget: ResponseBudget
}

/** A method of the package that its types lack. */
interface Interruptible {
  interrupt(): void
}

interface Prepared {
  readonly native: Database.Statement
  readonly returnsRows: boolean
}

/** Opening blocks the process. Only another process with the same file makes it wait. */
const OPEN_WITHIN_MS = 2_000
const PREPARED_STATEMENTS = 100
/** Takes the write lock without another effect, because the file is not in incremental auto-vacuum mode. */
const UPGRADE = "PRAGMA incremental_vacuum(1)"
const NOTHING: StatementResult = { cols: [], rows: [], affected_row_count: 0, last_insert_rowid: null }
/** Bytes of JSON around one value, for the size of a response. */
const VALUE_OVERHEAD = 32

/** One connection to the file. It never waits for a lock: a busy database fails at once. */
export class Connection {
  readonly #db: Database.Database & Interruptible
  readonly #prepared = new Map<string, Prepared>()
  #foreignKeysTouched = false
  /** A transaction around a single write, invisible to the client. */
  #isImplicit = false

  constructor(file: string, synchronous: "full" | "normal") {
    this.#db = new Database(file, { timeout: OPEN_WITHIN_MS }) as Database.Database & Interruptible
    this.#db.defaultSafeIntegers(true)
    // Overwrites deleted data; the cost is too small to measure.
    this.#db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; PRAGMA busy_timeout = 0;
      PRAGMA secure_delete = ON`)
  }

  get inTransaction(): boolean {
    return this.#db.inTransaction
  }

  /**
   * Takes SQLite's write lock before the next statement, or fails with SQLITE_BUSY. The statement itself must not: the
   * package cannot reset a statement that met a locked database, and that statement would hold its snapshot forever.
   */
  takeWriteLock(): void {
    if (this.inTransaction) return void this.#db.exec(UPGRADE)
    this.#db.exec("BEGIN IMMEDIATE")
    this.#isImplicit = true
  }

  /** Runs one statement to its end. @throws the engine's error, or SqlError when the response is too large */
  run(statement: Statement, input: RunInput): StatementResult {
    if (statement.isForeignKeySwitch) this.#foreignKeysTouched = true
    try {
      if (!statement.isLockingBegin) return this.#run(statement, input)
      this.#db.exec(statement.sql)
      return NOTHING
    } finally {
      // Also after an error: INSERT OR FAIL leaves earlier rows in place.
      if (this.#isImplicit) this.#commitImplicit()
    }
  }

  /** The columns of a statement's rows; empty when it returns no rows. */
  columns(sql: string): Column[] {
    const { native, returnsRows } = this.#prepare(sql)
    return returnsRows ? columnsOf(native) : []
  }

  /** Resets the connection for the next stream. */
  reset(): void {
    if (this.inTransaction) this.#db.exec("ROLLBACK")
    this.#isImplicit = false
    if (this.#foreignKeysTouched) this.#db.exec("PRAGMA foreign_keys = ON")
    this.#foreignKeysTouched = false
  }

  /** Moves the write-ahead log into the file, as far as readers allow. */
  checkpoint(): void {
    this.#db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /** Rolls back first: otherwise the engine leaves an open transaction locked after closing. */
  close(): void {
    this.reset()
    this.#prepared.clear()
    this.#db.close()
  }

  #run(statement: Statement, input: RunInput): StatementResult {
    const { native, returnsRows } = this.#prepare(statement.sql)
    if (!returnsRows) {
      const { changes, lastInsertRowid } = native.run([...input.args])
      const rowid = Number.isSafeInteger(lastInsertRowid) ? String(lastInsertRowid) : this.#lastChange().rowid
      return {
        ...NOTHING,
        affected_row_count: statement.isChange ? changes : 0,
        last_insert_rowid: statement.isInsert ? rowid : null,
      }
    }
    const rows = this.#read(native, input)
    const change = statement.isChange ? this.#lastChange() : null
    return {
      cols: columnsOf(native),
      rows,
      affected_row_count: change?.count ?? 0,
      last_insert_rowid: statement.isInsert ? (change?.rowid ?? null) : null,
    }
  }

  /** Commits like a single statement, which also checks deferred foreign keys. */
  #commitImplicit(): void {
    this.#isImplicit = false
    if (!this.inTransaction) return
    try {
      this.#db.exec("COMMIT")
    } catch (error) {
      this.#db.exec("ROLLBACK")
      throw error
    }
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql)
    if (known) {
      this.#prepared.delete(sql)
      this.#prepared.set(sql, known)
      return known
    }
    const native = this.#db.prepare(sql)
    const prepared = { native, returnsRows: native.reader }
    if (prepared.returnsRows) native.raw()
    if (this.#prepared.size >= PREPARED_STATEMENTS) this.#prepared.delete(this.#prepared.keys().next().value!)
    this.#prepared.set(sql, prepared)
    return prepared
  }

  #read(native: Database.Statement, { args, budget }: RunInput): object[][] {
    const rows: object[][] = []
    try {
      for (const row of native.iterate([...args]) as Iterable<SqlValue[]>) {
        for (const value of row) budget.bytes -= VALUE_OVERHEAD + sizeOf(value)
        // An abandoned statement would hold its snapshot, so it is interrupted and read to its end.
        if (budget.bytes < 0) this.#db.interrupt()
        else rows.push(row.map(toWire))
      }
    } catch (error) {
      if (budget.bytes >= 0) throw error
    }
    if (budget.bytes < 0) throw new SqlError("RESPONSE_TOO_LARGE", "Response is too large")
    return rows
  }

  #lastChange(): { count: number; rowid: string } {
    const { native } = this.#prepare("SELECT changes(), last_insert_rowid()")
    const [count, rowid] = (native.all() as bigint[][])[0]!
    return { count: Number(count), rowid: String(rowid) }
  }
}

function columnsOf(native: Database.Statement): Column[] {
  return native.columns().map(({ name, type }) => ({ name, decltype: type }))
}

function sizeOf(value: SqlValue): number {
  return typeof value === "string" || Buffer.isBuffer(value) ? value.length : 8
}

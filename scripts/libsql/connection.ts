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

/** How much of an answer is left; shared by all the statements of one request. */
export interface ResponseBudget {
  bytes: number
}

export interface RunInput {
  /** One value for each parameter, by index. */
  readonly args: readonly SqlValue[]
  readonly budget: ResponseBudget
}

/** What the package has and its types forget. */
interface Interruptible {
  interrupt(): void
}

interface Prepared {
  readonly native: Database.Statement
  readonly returnsRows: boolean
}

/** The engine blocks while it opens; only another process on the same file can make it wait. */
const OPEN_WITHIN_MS = 2_000
const PREPARED_STATEMENTS = 100
/** Needs the write lock and does nothing else, as the file is not in incremental auto-vacuum mode. */
const UPGRADE = "PRAGMA incremental_vacuum(1)"
const NOTHING: StatementResult = { cols: [], rows: [], affected_row_count: 0, last_insert_rowid: null }
/** JSON around one value, counted towards the size of an answer. */
const VALUE_OVERHEAD = 32

/** One connection to the file. It never waits for a lock: a busy database is an error at once. */
export class Connection {
  readonly #db: Database.Database & Interruptible
  readonly #prepared = new Map<string, Prepared>()
  #foreignKeysTouched = false
  /** The transaction around a single write; its client does not know of it. */
  #isImplicit = false

  constructor(file: string, synchronous: "full" | "normal") {
    this.#db = new Database(file, { timeout: OPEN_WITHIN_MS }) as Database.Database & Interruptible
    this.#db.defaultSafeIntegers(true)
    // What is erased is overwritten: it costs nothing that could be measured.
    this.#db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; PRAGMA busy_timeout = 0;
      PRAGMA secure_delete = ON`)
  }

  get inTransaction(): boolean {
    return this.#db.inTransaction
  }

  /**
   * Takes SQLite's write lock for the statement that follows, or fails with the engine's SQLITE_BUSY. Not left to that
   * statement: the engine's package cannot reset one that found the lock taken, and it would keep its snapshot for good.
   */
  takeWriteLock(): void {
    if (this.inTransaction) return void this.#db.exec(UPGRADE)
    this.#db.exec("BEGIN IMMEDIATE")
    this.#isImplicit = true
  }

  /** Runs one statement to its end. @throws the engine's error, or SqlError when the answer is too large */
  run(statement: Statement, input: RunInput): StatementResult {
    if (statement.isForeignKeySwitch) this.#foreignKeysTouched = true
    try {
      if (!statement.isLockingBegin) return this.#run(statement, input)
      this.#db.exec(statement.sql)
      return NOTHING
    } finally {
      // After an error too: OR FAIL keeps what came before it.
      if (this.#isImplicit) this.#commitImplicit()
    }
  }

  /** The columns a statement would return; empty when it returns no rows. */
  columns(sql: string): Column[] {
    const { native, returnsRows } = this.#prepare(sql)
    return returnsRows ? columnsOf(native) : []
  }

  /** Makes the connection as new for the next stream. */
  reset(): void {
    if (this.inTransaction) this.#db.exec("ROLLBACK")
    this.#isImplicit = false
    if (this.#foreignKeysTouched) this.#db.exec("PRAGMA foreign_keys = ON")
    this.#foreignKeysTouched = false
  }

  /** Moves the log into the file, as far as readers allow. */
  checkpoint(): void {
    this.#db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /** The engine keeps an open transaction locked after closing, so it is rolled back first. */
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

  /** A deferred foreign key is checked here, as at the end of a statement on its own. */
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
        // An abandoned statement would keep its snapshot, so it is interrupted and read to its end.
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

import { closeSync, fdatasync, openSync } from "node:fs"
import { setImmediate as endOfTurn } from "node:timers/promises"
import { promisify } from "node:util"
import Database from "libsql"
import { SqlError, type SqlValue, sqlErrorFrom, toWire } from "./protocol.ts"
import type { Statement } from "./statement.ts"

/** The result of one statement, as the protocol writes it. */
export interface StatementResult {
  readonly cols: readonly { readonly name: string; readonly decltype: string | null }[]
  readonly rows: readonly (readonly object[])[]
  readonly affected_row_count: number
  readonly last_insert_rowid: string | null
}

/** Remaining size of a response, shared by all statements of one request. */
export interface ResponseBudget {
  bytes: number
}

interface RunInput {
  /** One value for each parameter. */
  readonly args: readonly SqlValue[]
  readonly budget: ResponseBudget
  /** A later statement of the same request writes, so that a BEGIN takes the write lock. */
  readonly willWrite: boolean
}

/** The package's types lack a method. */
type Engine = Database.Database & { interrupt(): void }

interface Prepared {
  readonly native: Database.Statement
  readonly returnsRows: boolean
}

/** Opening blocks the process. Only another process with the same file makes it wait. */
const OPEN_WITHIN_MS = 2_000
const PREPARED_STATEMENTS = 100
const NOTHING: StatementResult = { cols: [], rows: [], affected_row_count: 0, last_insert_rowid: null }
/** Bytes of JSON around one value, for the size of a response. */
const VALUE_OVERHEAD = 32

/** The connection to the file. It never waits for the lock of another process: a locked database fails at once. */
export class Connection {
  readonly #db: Engine
  readonly #prepared = new Map<string, Prepared>()
  readonly #log: LogSync | null
  #foreignKeysTouched = false
  /** Whether the running request has written, so that it must not run again. */
  hasWritten = false

  /** @param logSync null when commits need not survive a power failure. They survive the end of the process in any case */
  constructor(file: string, logSync: LogSyncOptions | null) {
    this.#db = new Database(file, { timeout: OPEN_WITHIN_MS }) as Engine
    this.#db.defaultSafeIntegers(true)
    // secure_delete overwrites deleted data; the cost is too small to measure. The checkpoint syncs the commits of a process
    // that ended before it did.
    this.#db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 0;
      PRAGMA secure_delete = ON; PRAGMA wal_checkpoint(TRUNCATE)`)
    this.#log = logSync && new LogSync(file, logSync)
  }

  /**
   * Runs the statements of one request. No other request runs in between, because nothing here is asynchronous. Rolls
   * back a transaction that the request leaves open.
   */
  runRequest<T>(work: () => T): T {
    this.hasWritten = false
    try {
      return work()
    } finally {
      if (this.#db.inTransaction) this.#db.exec("ROLLBACK")
      if (this.#foreignKeysTouched) this.#db.exec("PRAGMA foreign_keys = ON")
      this.#foreignKeysTouched = false
    }
  }

  /** Resolves when the commits of all requests so far are on disk. @throws the error of the disk */
  async synced(): Promise<void> {
    await this.#log?.synced()
  }

  /** Runs one statement to its end. @throws SqlError */
  run(statement: Statement, input: RunInput): StatementResult {
    if (statement.isForeignKeySwitch) this.#foreignKeysTouched = true
    // Also before an error: INSERT OR FAIL leaves earlier rows in place.
    if (statement.isWrite) this.#log?.grew()
    try {
      // A write that met the lock of another process would hold its snapshot forever: the package cannot reset it.
      if (statement.isBegin && input.willWrite) return this.#begin()
      if (!statement.isWrite) return this.#run(statement, input)
      const result = this.#db.inTransaction ? this.#run(statement, input) : this.#runAlone(statement, input)
      this.hasWritten = true
      return result
    } catch (error) {
      throw sqlErrorFrom(error, statement.sql)
    }
  }

  /** Moves the write-ahead log into the file, and closes it. */
  async close(): Promise<void> {
    await this.#log?.close()
    this.#db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
    this.#prepared.clear()
    this.#db.close()
  }

  #begin(): StatementResult {
    this.#db.exec("BEGIN IMMEDIATE")
    return NOTHING
  }

  #runAlone(statement: Statement, input: RunInput): StatementResult {
    this.#begin()
    try {
      return this.#run(statement, input)
    } finally {
      // Also after an error: INSERT OR FAIL leaves earlier rows in place.
      if (this.#db.inTransaction) this.#commit()
    }
  }

  /** Commits like a single statement, which also checks deferred foreign keys. */
  #commit(): void {
    try {
      this.#db.exec("COMMIT")
    } catch (error) {
      // On a full disk the engine has rolled back by itself.
      if (this.#db.inTransaction) this.#db.exec("ROLLBACK")
      throw error
    }
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
      cols: native.columns().map(({ name, type }) => ({ name, decltype: type })),
      rows,
      affected_row_count: change?.count ?? 0,
      last_insert_rowid: statement.isInsert ? (change?.rowid ?? null) : null,
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

function sizeOf(value: SqlValue): number {
  return typeof value === "string" || Buffer.isBuffer(value) ? value.length : 8
}

export interface LogSyncOptions {
  /** Writes what the open file holds to its disk. */
  readonly sync?: ((fd: number) => Promise<void>) | undefined
  /** The disk failed. The last commits may be lost, and no later sync can save them: the process has to end. */
  readonly onFailure: (error: unknown) => void
}

/**
 * Syncs the write-ahead log of a database to disk. With `synchronous = NORMAL` a commit only writes to the log, and with
 * FULL it also syncs the log, which is the only difference (https://sqlite.org/pragma.html#pragma_synchronous). So a commit
 * that is synced here before its answer is as durable as with FULL.
 *
 * Commits that wait together share a sync. None waits for a later commit, and each waits for two syncs at most: the one
 * that runs, and the next.
 */
class LogSync {
  readonly #fd: number
  readonly #sync: (fd: number) => Promise<void>
  readonly #onFailure: LogSyncOptions["onFailure"]
  /** The last sync, which may have ended, or may wait for the one before. */
  #last: Promise<void> = Promise.resolve()
  #isScheduled = false
  #isBehind = false

  /** @param file the database, which is open: its log exists */
  constructor(file: string, { sync = promisify(fdatasync), onFailure }: LogSyncOptions) {
    // Windows needs the right to write for a sync.
    this.#fd = openSync(`${file}-wal`, "r+")
    this.#sync = sync
    this.#onFailure = onFailure
  }

  /** Records that the log has grown. */
  grew(): void {
    this.#isBehind = true
  }

  /**
   * Resolves when all commits so far are on disk. A request that only read waits as well: a power failure must not undo
   * what it answers. @throws the error of the disk, of this sync or an earlier one
   */
  synced(): Promise<void> {
    if (this.#isBehind && !this.#isScheduled) {
      this.#isScheduled = true
      this.#last = this.#last.then(() => this.#run())
    }
    return this.#last
  }

  /** Waits for the last sync and closes the log. */
  async close(): Promise<void> {
    await this.#last.catch(() => undefined)
    closeSync(this.#fd)
  }

  async #run(): Promise<void> {
    // Requests that have already arrived run first and share this sync.
    await endOfTurn()
    this.#isScheduled = false
    this.#isBehind = false
    try {
      await this.#sync(this.#fd)
    } catch (error) {
      this.#onFailure(error)
      throw error
    }
  }
}

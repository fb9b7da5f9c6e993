import { setImmediate, setTimeout as sleep } from "node:timers/promises"
import type { Column, Connection, RunInput, StatementResult } from "./connection.ts"
import type { LibsqlDatabase } from "./database.ts"
import { ProtocolError, resultCode, SqlError, sqlErrorFrom } from "./sql-error.ts"
import type { Statement } from "./statement.ts"

/** The transaction exceeded its time limit and was rolled back. Ends the whole request. */
export class TransactionTimeout extends SqlError {
  constructor() {
    super("TRANSACTION_TIMEOUT", "Transaction timed out")
  }
}

const SQLITE_BUSY = 5
/** Another transaction has changed what this one has read: waiting cannot help. */
const SQLITE_BUSY_SNAPSHOT = 517
const LONGEST_PAUSE_MS = 50
/** Other requests run after this much uninterrupted work. */
const SLICE_MS = 10

/** The database side of one stream: its connection, its transaction and its place in the write queue. */
export class Session {
  readonly #database: LibsqlDatabase
  #connection: Connection | null = null
  #closed = false
  #timedOut = false
  /** The session holds SQLite's write lock. */
  #isWriter = false
  #transactionTimer: NodeJS.Timeout | undefined
  #sliceStart = 0

  constructor(database: LibsqlDatabase) {
    this.#database = database
  }

  get closed(): boolean {
    return this.#closed
  }

  get isAutocommit(): boolean {
    return !this.#connection?.inTransaction
  }

  /** Starts a new request: its first statements run without a pause. */
  beginSlice(): void {
    this.#sliceStart = performance.now()
  }

  /** Runs one statement and waits for the write lock when the statement needs it. @throws SqlError */
  async run(statement: Statement, input: RunInput): Promise<StatementResult> {
    if (performance.now() - this.#sliceStart > SLICE_MS) {
      await setImmediate()
      this.beginSlice()
    }
    try {
      if (statement.takesWriteLock && !this.#isWriter) await this.#becomeWriter(statement)
      return await this.#whenNotBusy((connection) => connection.run(statement, input), statement.sql)
    } finally {
      this.#followTransaction()
    }
  }

  /** @throws SqlError when the statement is invalid */
  columns(statement: Statement): Column[] {
    try {
      return this.#open().columns(statement.sql)
    } catch (error) {
      throw sqlErrorFrom(error, statement.sql)
    }
  }

  /** Rolls back the open transaction and returns the connection. A waiting `run` fails. */
  close(): void {
    this.#closed = true
    this.#database.writeLock.cancel(this, streamClosed)
    if (this.#connection) this.#database.checkIn(this.#connection)
    this.#connection = null
    clearTimeout(this.#transactionTimer)
    this.#endWriting()
  }

  async #becomeWriter({ isLockingBegin }: Statement): Promise<void> {
    if (isLockingBegin && this.#open().inTransaction) return
    if (!this.#database.writeLock.tryAcquire(this)) {
      await this.#database.writeLock.acquire(this)
      this.beginSlice()
    }
    if (!isLockingBegin) await this.#whenNotBusy((connection) => connection.takeWriteLock())
    this.#isWriter = true
  }

  /** Retries while another process holds the lock. The write queue covers only this process. */
  async #whenNotBusy<T>(work: (connection: Connection) => T, sql?: string): Promise<T> {
    const giveUpAt = performance.now() + this.#database.options.lockWaitMs
    for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        return work(this.#open())
      } catch (error) {
        if (!isBusy(resultCode(error)) || performance.now() > giveUpAt) throw sqlErrorFrom(error, sql)
      }
      await sleep(pauseMs)
    }
  }

  #open(): Connection {
    if (this.#closed) throw streamClosed()
    if (this.#timedOut) {
      this.#timedOut = false
      throw new TransactionTimeout()
    }
    this.#connection ??= this.#database.checkOut()
    return this.#connection
  }

  /** Releases the write lock when the transaction has ended; otherwise limits its time. */
  #followTransaction(): void {
    if (this.#connection?.inTransaction) {
      this.#transactionTimer ??= setTimeout(() => this.#timeOut(), this.#database.options.transactionMs)
      return
    }
    clearTimeout(this.#transactionTimer)
    this.#transactionTimer = undefined
    this.#endWriting()
  }

  #endWriting(): void {
    this.#isWriter = false
    this.#database.writeLock.release(this)
  }

  #timeOut(): void {
    this.#transactionTimer = undefined
    this.#connection?.reset()
    this.#endWriting()
    this.#timedOut = !this.#database.writeLock.cancel(this, () => new TransactionTimeout())
  }
}

/** Whether waiting can help. */
function isBusy(code: number | null): boolean {
  return code !== null && (code & 0xff) === SQLITE_BUSY && code !== SQLITE_BUSY_SNAPSHOT
}

function streamClosed(): ProtocolError {
  return new ProtocolError("Stream for this baton was closed")
}

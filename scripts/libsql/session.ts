import { setImmediate, setTimeout as sleep } from "node:timers/promises"
import type { Column, Connection, RunInput, StatementResult } from "./connection.ts"
import type { LibsqlDatabase } from "./database.ts"
import { ProtocolError, resultCode, SqlError, sqlErrorFrom } from "./sql-error.ts"
import type { Statement } from "./statement.ts"

/** The transaction was rolled back because it took too long; ends the whole request, not one step of it. */
export class TransactionTimeout extends SqlError {
  constructor() {
    super("TRANSACTION_TIMEOUT", "Transaction timed out")
  }
}

const SQLITE_BUSY = 5
/** The transaction has read what another has changed since: waiting cannot help. */
const SQLITE_BUSY_SNAPSHOT = 517
const LONGEST_PAUSE_MS = 50
/** Other requests get their turn after this much uninterrupted work. */
const SLICE_MS = 10

/** The database side of one stream: its connection, its transaction and its place in the queue of writers. */
export class Session {
  readonly #database: LibsqlDatabase
  #connection: Connection | null = null
  #closed = false
  #timedOut = false
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

  /** A new request begins: its first statements run without a pause. */
  beginSlice(): void {
    this.#sliceStart = performance.now()
  }

  /** Runs one statement, waiting for the write lock when it needs it. @throws SqlError */
  async run(statement: Statement, input: RunInput): Promise<StatementResult> {
    if (performance.now() - this.#sliceStart > SLICE_MS) {
      await setImmediate()
      this.beginSlice()
    }
    const { writeLock, options } = this.#database
    this.#open()
    if (statement.takesWriteLock && !writeLock.tryAcquire(this)) {
      await writeLock.acquire(this)
      this.beginSlice()
    }
    const giveUpAt = performance.now() + options.lockWaitMs
    try {
      for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
        const result = this.#attempt(statement, { input, isLast: performance.now() > giveUpAt })
        if (result) return result
        await sleep(pauseMs)
      }
    } finally {
      this.#followTransaction()
    }
  }

  /** @throws SqlError when the statement is not valid here */
  columns(statement: Statement): Column[] {
    try {
      return this.#open().columns(statement.sql)
    } catch (error) {
      throw sqlErrorFrom(error, statement.sql)
    }
  }

  /** Rolls back what is open and gives the connection away. Whoever still waits in `run` is turned out. */
  close(): void {
    this.#closed = true
    this.#database.writeLock.cancel(this, new ProtocolError("Stream for this baton was closed"))
    if (this.#connection) this.#database.checkIn(this.#connection)
    this.#connection = null
    clearTimeout(this.#transactionTimer)
    this.#database.writeLock.release(this)
  }

  /** Null when another process holds the lock and there is still time to wait. */
  #attempt(statement: Statement, { input, isLast }: { input: RunInput; isLast: boolean }): StatementResult | null {
    try {
      return this.#open().run(statement, input)
    } catch (error) {
      if (isBusy(resultCode(error)) && !isLast) return null
      throw sqlErrorFrom(error, statement.sql)
    }
  }

  #open(): Connection {
    if (this.#closed) throw new ProtocolError("Stream for this baton was closed")
    if (this.#timedOut) {
      this.#timedOut = false
      throw new TransactionTimeout()
    }
    this.#connection ??= this.#database.checkOut()
    return this.#connection
  }

  /** The lock goes with the transaction, and a transaction has its time. */
  #followTransaction(): void {
    if (this.#connection?.inTransaction) {
      this.#transactionTimer ??= setTimeout(() => this.#timeOut(), this.#database.options.transactionMs)
      return
    }
    clearTimeout(this.#transactionTimer)
    this.#transactionTimer = undefined
    this.#database.writeLock.release(this)
  }

  #timeOut(): void {
    this.#transactionTimer = undefined
    this.#connection?.reset()
    this.#database.writeLock.release(this)
    this.#timedOut = !this.#database.writeLock.cancel(this, new TransactionTimeout())
  }
}

function isBusy(code: number | null): boolean {
  return code !== null && (code & 0xff) === SQLITE_BUSY && code !== SQLITE_BUSY_SNAPSHOT
}

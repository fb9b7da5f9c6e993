import { Connection } from "./connection.ts"
import { WriteLock } from "./write-lock.ts"

export interface DatabaseOptions {
  readonly file: string
  /** "full" survives a power failure, "normal" a process end. Neither loses a confirmed write to SIGKILL. */
  readonly synchronous: "full" | "normal"
  readonly lockWaitMs: number
  readonly transactionMs: number
  readonly maxResponseBytes: number
}

const IDLE_CONNECTIONS = 64

/** A database file with its connections, its write lock and its limits. */
export class LibsqlDatabase {
  readonly options: DatabaseOptions
  readonly writeLock: WriteLock
  #idle: Connection[] = []

  constructor(options: DatabaseOptions) {
    this.options = options
    this.writeLock = new WriteLock(options.lockWaitMs)
    this.checkIn(this.checkOut())
  }

  /** A connection for one stream. Idle connections are reused: opening is slow, and closing leaks memory until a GC. */
  checkOut(): Connection {
    return this.#idle.pop() ?? new Connection(this.options.file, this.options.synchronous)
  }

  checkIn(connection: Connection): void {
    connection.reset()
    if (this.#idle.length < IDLE_CONNECTIONS) this.#idle.push(connection)
    else connection.close()
  }

  /** Closes the file. All connections must have been checked in. */
  close(): void {
    const last = this.checkOut()
    last.checkpoint()
    for (const connection of [...this.#idle, last]) connection.close()
    this.#idle = []
  }
}

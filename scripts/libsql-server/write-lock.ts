import { SqlError } from "./sql-error.ts"

interface Waiter {
  readonly owner: object
  readonly resolve: () => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
}

/** A queue for SQLite's single writer: first come, first served, without blocking the process. */
export class WriteLock {
  #owner: object | null = null
  #waiters: Waiter[] = []
  readonly #waitMs: number

  /** @param waitMs after this time a waiting writer fails with "database is locked" */
  constructor(waitMs: number) {
    this.#waitMs = waitMs
  }

  /** Takes the lock when it is free. @returns whether `owner` holds the lock */
  tryAcquire(owner: object): boolean {
    if (this.#owner === null) this.#owner = owner
    return this.#owner === owner
  }

  /** Waits for the lock. @throws SqlError SQLITE_BUSY, or the error given to `cancel` */
  acquire(owner: object): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => this.cancel(owner, () => new SqlError("SQLITE_BUSY", "SQLite error: database is locked")),
        this.#waitMs,
      )
      this.#waiters.push({ owner, resolve, reject, timer })
    })
  }

  /** Passes the lock to the writer that has waited longest. Does nothing when `owner` does not hold it. */
  release(owner: object): void {
    if (this.#owner !== owner) return
    const next = this.#waiters.shift()
    this.#owner = next?.owner ?? null
    if (!next) return
    clearTimeout(next.timer)
    next.resolve()
  }

  /** Ends the wait of an owner with an error. @returns false when it was not waiting */
  cancel(owner: object, error: () => Error): boolean {
    const at = this.#waiters.findIndex((waiter) => waiter.owner === owner)
    const [waiter] = at < 0 ? [] : this.#waiters.splice(at, 1)
    clearTimeout(waiter?.timer)
    waiter?.reject(error())
    return waiter !== undefined
  }
}

import { SqlError } from "./sql-error.ts"

interface Waiter {
  readonly owner: object
  readonly resolve: () => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
}

/** SQLite has one writer at a time; this decides who is next, first come first served, without ever blocking. */
export class WriteLock {
  #owner: object | null = null
  #waiters: Waiter[] = []
  readonly #waitMs: number

  /** @param waitMs how long one writer waits before it hears that the database is locked */
  constructor(waitMs: number) {
    this.#waitMs = waitMs
  }

  /** Takes the lock when it is free and nobody waits for it, or when it is already the owner's. */
  tryAcquire(owner: object): boolean {
    if (this.#owner === null) this.#owner = owner
    return this.#owner === owner
  }

  /** Waits for its turn. @throws SqlError SQLITE_BUSY, or what `cancel` was called with */
  acquire(owner: object): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => this.cancel(owner, () => new SqlError("SQLITE_BUSY", "SQLite error: database is locked")),
        this.#waitMs,
      )
      this.#waiters.push({ owner, resolve, reject, timer })
    })
  }

  /** Hands the lock to the one that waits longest; does nothing when it is not the owner's. */
  release(owner: object): void {
    if (this.#owner !== owner) return
    const next = this.#waiters.shift()
    this.#owner = next?.owner ?? null
    if (!next) return
    clearTimeout(next.timer)
    next.resolve()
  }

  /** Ends the waiting of an owner with an error; false when it does not wait. */
  cancel(owner: object, error: () => Error): boolean {
    const at = this.#waiters.findIndex((waiter) => waiter.owner === owner)
    const [waiter] = at < 0 ? [] : this.#waiters.splice(at, 1)
    clearTimeout(waiter?.timer)
    waiter?.reject(error())
    return waiter !== undefined
  }
}

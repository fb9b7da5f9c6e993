import { closeSync, fdatasync, openSync } from "node:fs"
import { setImmediate as endOfTurn } from "node:timers/promises"
import { promisify } from "node:util"

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
export class LogSync {
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

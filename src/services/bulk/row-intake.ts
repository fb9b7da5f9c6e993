import type { NewRow } from "../../adapters/store/lists/job-results.ts"
import type { Context } from "../../context.ts"
import { TABLE_LIMITS } from "../../domain/lists/uploaded-file.ts"
import { tooLarge } from "../../errors.ts"
import type { TableRow } from "./read-table.ts"
import type { Receiving } from "./receive-job.ts"
import type { Room } from "./start-received.ts"

const ROWS_AT_ONCE = 1_000
/** Characters written at once: a workbook may repeat a long text a million times. */
const LETTERS_AT_ONCE = 500_000

/** Writes rows and their addresses together, in batches bounded by number and by size. */
export class RowIntake {
  rows = 0
  addresses = 0
  width = 0
  readonly #ctx: Context
  readonly #receiving: Receiving
  readonly #room: Pick<Room, "keep">
  #waiting: NewRow[] = []
  #emails: string[] = []
  #waitingLetters = 0

  constructor(ctx: Context, receiving: Receiving, room: Pick<Room, "keep">) {
    this.#ctx = ctx
    this.#receiving = receiving
    this.#room = room
  }

  async add({ cells, address }: TableRow): Promise<void> {
    const letters = cells.reduce((sum, { length }) => sum + length, 0)
    if (this.rows >= TABLE_LIMITS.records) throw tooLarge(`a file may have at most ${TABLE_LIMITS.records} rows`)
    const idx = address && this.addresses++
    this.#waiting.push({ row: this.rows++, cells, idx, mailbox: address?.mailbox ?? null })
    if (address) this.#emails.push(address.email)
    this.width = Math.max(this.width, cells.length)
    this.#waitingLetters += letters
    if (this.#waiting.length >= ROWS_AT_ONCE || this.#waitingLetters >= LETTERS_AT_ONCE) await this.flush()
  }

  /** @throws AppError rate_limited */
  async flush(): Promise<void> {
    await this.#room.keep(this.#waitingLetters, this.#waiting.length)
    await this.#ctx.store.jobRows.add(this.#receiving.jobId, this.#waiting)
    await this.#receiving.add(this.#emails)
    this.#waiting = []
    this.#emails = []
    this.#waitingLetters = 0
  }
}

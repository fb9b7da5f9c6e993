import type { NewRow } from "../../adapters/store/job-rows.ts"
import { tooLarge } from "../../adapters/tables/table-problem.ts"
import type { Deps } from "../../deps.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { mailboxOf } from "../../domain/bulk/unique.ts"
import { addressInCell } from "../../domain/tables/cell-address.ts"
import { TABLE_LIMITS } from "../../domain/tables/limits.ts"
import type { Receiving } from "./receive-job.ts"
import type { Room } from "./start-received.ts"

const ROWS_AT_ONCE = 1_000
/** Letters of rows written at once, and of all: a workbook may say a long text a million times. */
const LETTERS_AT_ONCE = 500_000
const MAX_LETTERS = 2 * TABLE_LIMITS.bytes

/** Writes rows and their addresses side by side, in pieces bounded by number and by size. */
export class RowIntake {
  rows = 0
  addresses = 0
  width = 0
  readonly #needs: Pick<Deps, "jobRows">
  readonly #receiving: Receiving
  readonly #column: number
  readonly #room: Pick<Room, "keep">
  #waiting: NewRow[] = []
  #emails: string[] = []
  #waitingLetters = 0
  #letters = 0

  constructor(
    needs: Pick<Deps, "jobRows">,
    receiving: Receiving,
    { column, room }: { column: number; room: Pick<Room, "keep"> },
  ) {
    this.#needs = needs
    this.#receiving = receiving
    this.#column = column
    this.#room = room
  }

  async add(cells: readonly string[]): Promise<void> {
    const letters = cells.reduce((sum, { length }) => sum + length, 0)
    this.#letters += letters
    if (cells.length > TABLE_LIMITS.columns) throw tooLarge(`a file may have at most ${TABLE_LIMITS.columns} columns`)
    if (this.rows >= TABLE_LIMITS.records) throw tooLarge(`a file may have at most ${TABLE_LIMITS.records} rows`)
    if (this.#letters > MAX_LETTERS) throw tooLarge(`the cells of a file may hold at most ${MAX_LETTERS} letters`)
    const email = addressInCell(cells[this.#column] ?? "")
    const idx = email === "" ? null : this.addresses++
    const mailbox = email === "" ? null : mailboxOf(parseAddress(email))
    this.#waiting.push({ row: this.rows++, cells, idx, mailbox })
    if (email !== "") this.#emails.push(email)
    this.width = Math.max(this.width, cells.length)
    this.#waitingLetters += letters
    if (this.#waiting.length >= ROWS_AT_ONCE || this.#waitingLetters >= LETTERS_AT_ONCE) await this.flush()
  }

  /** @throws AppError rate_limited */
  async flush(): Promise<void> {
    await this.#room.keep(this.#waitingLetters, this.#waiting.length)
    await this.#needs.jobRows.add(this.#receiving.jobId, this.#waiting)
    await this.#receiving.add(this.#emails)
    this.#waiting = []
    this.#emails = []
    this.#waitingLetters = 0
  }
}

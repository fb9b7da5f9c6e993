import { TABLE_LIMITS } from "../../domain/lists/uploaded-file.ts"
import { AppError, invalidField, tooLarge } from "../../errors.ts"

/** What a reader of files has done since its last report. */
export interface ReadWork {
  /** Bytes of a workbook, packed or unpacked, whichever are more; or characters of a text. */
  readonly bytes?: number
  /** Characters of the cells. A workbook may repeat a text in more of them than it has bytes. */
  readonly characters?: number
  /** Rows, also those without a value. */
  readonly rows?: number
}

/** Counts the work of a reader piece by piece. */
export interface ReadMeter {
  /** @throws AppError rate_limited when the reader must stop */
  add(work: ReadWork): Promise<void>
}

/** Counts nothing, for files that the service wrote itself. */
export const UNCOUNTED: ReadMeter = { add: async () => undefined }

/** Counts the rows and cells of one sheet that have no value, since a few bytes of a packed file make thousands. */
export class BlankCounter {
  readonly #what: string
  #rows = 0
  #cells = 0

  /** @param what the name of the sheet in an error */
  constructor(what: string) {
    this.#what = what
  }

  /** @throws AppError payload_too_large */
  addRow(): void {
    if (++this.#rows > TABLE_LIMITS.emptyRows) throw this.#tooMany("rows", TABLE_LIMITS.emptyRows)
  }

  /** @throws AppError payload_too_large */
  addCell(): void {
    if (++this.#cells > TABLE_LIMITS.emptyCells) throw this.#tooMany("cells", TABLE_LIMITS.emptyCells)
  }

  #tooMany(kind: string, limit: number) {
    return new AppError(
      "list_too_large",
      `${this.#what} of the workbook has more than ${limit} ${kind} without a value; delete them, or save the sheet as CSV`,
    )
  }
}

/** Counts the characters of all cells of a file, and reports them and the rows to its meter. */
export class CellCounter {
  readonly #meter: ReadMeter
  #characters = 0

  constructor(meter: ReadMeter) {
    this.#meter = meter
  }

  /** @param rows with those without a value @throws AppError payload_too_large, rate_limited */
  async add({ rows, characters }: { readonly rows: number; readonly characters: number }): Promise<void> {
    this.#characters += characters
    if (this.#characters > TABLE_LIMITS.characters)
      throw tooLarge(`the cells of a file may hold at most ${TABLE_LIMITS.characters} characters`)
    await this.#meter.add({ rows, characters })
  }
}

/** The error for a file that is not a readable table. @param type the error type in the API contract */
export function unreadable(msg: string, type?: string): AppError {
  return invalidField(["file"], msg, type)
}

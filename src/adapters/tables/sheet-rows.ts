import { TurnBudget, yieldToEventLoop } from "../../concurrency/yield-to-event-loop.ts"
import { cellReference, rowReference } from "../../domain/bulk/cell-reference.ts"
import { dateText, spelledDate } from "../../domain/bulk/date-cell.ts"
import { TABLE_LIMITS } from "../../domain/bulk/table-limits.ts"
import { tooLarge } from "../../errors.ts"
import { BlankCounter, type CellCounter } from "./read-meter.ts"
import { unreadable } from "./table-problem.ts"
import { cellText, joined, TextRuns } from "./text-runs.ts"
import type { Part } from "./unpack.ts"
import type { Workbook } from "./workbook-parts.ts"
import { type Attributes, type XmlEvents, XmlReader } from "./xml-reader.ts"

interface Reading {
  /** The name of the sheet in an error. */
  readonly what: string
  readonly workbook: Workbook
  readonly counter: CellCounter
}

/**
 * Yields the rows of a sheet with values as text. Blank rows and trailing blank cells are left out.
 * @throws AppError payload_too_large, invalid or rate_limited
 */
export async function* readRows(part: Part, { what, workbook, counter }: Reading): AsyncGenerator<string[]> {
  const collector = new RowCollector(what, workbook)
  const reader = new XmlReader(part, what, collector)
  let counted = 0
  while (await reader.step()) {
    const budget = new TurnBudget()
    const rows = collector.take()
    const characters = rows.reduce((sum, row) => sum + row.characters, 0)
    await counter.add({ rows: collector.rows - counted, characters })
    counted = collector.rows
    for (const { cells, characters } of rows) {
      yield cells
      // A short file may repeat a long text in each cell.
      if (budget.isOver(characters)) await yieldToEventLoop()
    }
  }
}

interface Row {
  readonly cells: string[]
  characters: number
}

interface Cell {
  /** From 1. */
  readonly column: number
  readonly type: string
  readonly style: string | undefined
  /** The text of its `v`. */
  value: string
}

class RowCollector implements XmlEvents {
  readonly #what: string
  readonly #workbook: Workbook
  readonly #blanks: BlankCounter
  /** The rows so far, with those without a value. */
  rows = 0
  #complete: Row[] = []
  #row: Row = { cells: [], characters: 0 }
  #cell: Cell | null = null
  #inline = new TextRuns()
  #inData = false
  #inValue = false
  /** The last row number, the last column in that row, and the widest column of the sheet. */
  #rowNumber = 0
  #column = 0
  #columns = 1

  constructor(what: string, workbook: Workbook) {
    this.#what = what
    this.#workbook = workbook
    this.#blanks = new BlankCounter(what)
  }

  /** The rows completed since the last call. */
  take(): Row[] {
    const rows = this.#complete
    this.#complete = []
    return rows
  }

  open(name: string, attributes: Attributes): void {
    if (name === "sheetData") this.#inData = true
    else if (!this.#inData) return
    else if (name === "row") this.#openRow(attributes)
    else if (name === "c") this.#openCell(attributes)
    else if (name === "v") this.#inValue = true
    else this.#inline.open(name)
  }

  text(text: string): void {
    if (this.#inValue && this.#cell) this.#cell.value = joined(this.#cell.value, text)
    else if (this.#cell) this.#inline.add(text)
  }

  close(name: string): void {
    if (name === "sheetData") this.#inData = false
    else if (!this.#inData) return
    else if (name === "row") this.#closeRow()
    else if (name === "c") this.#closeCell()
    else if (name === "v") this.#inValue = false
    else this.#inline.close(name)
  }

  #openRow({ r }: Attributes): void {
    const number = r === undefined ? this.#rowNumber + 1 : rowReference(r)
    if (number === null) throw unreadable(`${this.#what} of the workbook has a row with a malformed reference`)
    if (number <= this.#rowNumber)
      throw unreadable(`${this.#what} of the workbook has row ${number} after row ${this.#rowNumber}`)
    this.#rowNumber = number
    this.#column = 0
    this.#row = { cells: [], characters: 0 }
    this.#checkExtent()
  }

  #closeRow(): void {
    this.rows++
    if (this.#row.cells.length > 0) this.#complete.push(this.#row)
    else this.#blanks.addRow()
  }

  #openCell({ r, t = "n", s }: Attributes): void {
    const column = r === undefined ? this.#column + 1 : cellReference(r)?.column
    if (column === undefined) throw unreadable(`${this.#what} of the workbook has a cell with a malformed reference`)
    if (column <= this.#column)
      throw unreadable(`${this.#what} of the workbook has cells out of order in row ${this.#rowNumber}`)
    this.#column = column
    this.#columns = Math.max(this.#columns, column)
    this.#checkExtent()
    this.#cell = { column, type: t, style: s, value: "" }
  }

  #closeCell(): void {
    const value = this.#cell ? this.#valueOf(this.#cell) : ""
    if (value === "") this.#blanks.addCell()
    else if (this.#cell) {
      const { cells } = this.#row
      while (cells.length < this.#cell.column - 1) cells.push("")
      cells.push(value)
      this.#row.characters += value.length
      if (this.#row.characters > TABLE_LIMITS.token)
        throw tooLarge(`a row of a workbook may hold at most ${TABLE_LIMITS.token} characters`)
    }
    this.#cell = null
  }

  /** A cell with a high column number would create many empty cells before it. */
  #checkExtent(): void {
    if (this.#columns > TABLE_LIMITS.columns || this.#rowNumber * this.#columns > TABLE_LIMITS.cells)
      throw tooLarge(`a sheet may have at most ${TABLE_LIMITS.columns} columns and ${TABLE_LIMITS.cells} cells`)
  }

  #valueOf({ type, style, value }: Cell): string {
    const inline = this.#inline.take()
    if (type === "inlineStr") return inline
    const text = cellText(value)
    if (text === "" || type === "e") return ""
    switch (type) {
      case "n":
        return style !== undefined && this.#workbook.showsDate[Number(style)]
          ? dateText(text, this.#workbook.is1904)
          : text
      case "s":
        return this.#workbook.strings[Number(text)] ?? this.#malformed("names a shared string that does not exist")
      case "str":
        return text
      case "b":
        return text === "1" ? "true" : text === "0" ? "false" : this.#malformed("is neither true nor false")
      case "d":
        return spelledDate(text)
      default:
        return this.#malformed("is of an unknown type")
    }
  }

  #malformed(fault: string): never {
    throw unreadable(`column ${this.#column} of row ${this.#rowNumber} in ${this.#what} of the workbook ${fault}`)
  }
}

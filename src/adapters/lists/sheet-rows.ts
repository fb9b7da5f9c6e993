import { YieldBudget, yieldToEventLoop } from "../../concurrency/yield-to-event-loop.ts"
import { TABLE_LIMITS } from "../../domain/lists/uploaded-file.ts"
import { cellReference, dateText, rowReference, spelledDate } from "../../domain/lists/xlsx.ts"
import { type AppError, tooLarge } from "../../errors.ts"
import { BlankCounter, type CellCounter } from "./read-limits.ts"
import type { Part } from "./unpack.ts"
import type { Workbook } from "./workbook-parts.ts"
import { type Attributes, cellText, joined, TextRuns, type XmlEvents, XmlReader } from "./workbook-xml.ts"

interface Reading {
  /** The name of the sheet in an error. */
  readonly what: string
  readonly workbook: Workbook
  readonly counter: CellCounter
}

/** Parts of a sheet, of 64 KB each, in which its first rows are searched. Blank rows may precede them. */
const FIRST_STEPS = 8
/** Rows that are enough to know a sheet. */
const FIRST_ROWS = 100

export interface Row {
  readonly number: number
  readonly cells: string[]
  characters: number
}

/** Reads the rows of a sheet with values as text. @throws AppError payload_too_large, invalid or rate_limited */
export class SheetReader {
  readonly #collector: RowCollector
  readonly #xml: XmlReader
  readonly #counter: CellCounter
  #counted = 0

  constructor(part: Part, { what, workbook, counter }: Reading) {
    this.#collector = new RowCollector(what, workbook)
    this.#xml = new XmlReader(part, what, this.#collector)
    this.#counter = counter
  }

  /** Parses the next 64 KB, and leaves out values beyond the limits. @returns the rows that end there, or null at the end of the sheet */
  async next(): Promise<Row[] | null> {
    if (!(await this.#xml.step())) return null
    const rows = this.#collector.take()
    const characters = rows.reduce((sum, row) => sum + row.characters, 0)
    await this.#counter.add({ rows: this.#collector.rows - this.#counted, characters })
    this.#counted = this.#collector.rows
    return rows
  }

  /** Reads the first rows, at least a hundred if the beginning of the sheet has so many. */
  async first(): Promise<Row[]> {
    const first: Row[] = []
    for (let step = 0; step < FIRST_STEPS && first.length < FIRST_ROWS; step++) {
      const rows = await this.next()
      if (!rows) break
      for (const row of rows) first.push(row)
    }
    return first
  }

  /** Yields the cells of the first rows, then of all others. Throws for a value that is left out. */
  async *records(first: readonly Row[]): AsyncGenerator<string[]> {
    for (let rows: readonly Row[] | null = first; rows; rows = await this.next()) {
      if (this.#collector.omitted) throw this.#collector.omitted
      const budget = new YieldBudget()
      for (const { cells, characters } of rows) {
        yield cells
        // A short file may repeat a long text in each cell.
        if (budget.isOver(characters)) await yieldToEventLoop()
      }
    }
  }
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
  /** Why a value is left out. A sheet with such values can be compared, but not read. */
  omitted: AppError | null = null
  #complete: Row[] = []
  #isSorted = true
  #row: Row = { number: 0, cells: [], characters: 0 }
  #cell: Cell | null = null
  #inline = new TextRuns()
  #inData = false
  #inValue = false
  /** The last column. */
  #column = 0
  /** Cells of all rows so far, including empty cells before a value. */
  #cells = 0

  constructor(what: string, workbook: Workbook) {
    this.#what = what
    this.#workbook = workbook
    this.#blanks = new BlankCounter(what)
  }

  /** The rows completed since the last call, in order of their numbers. */
  take(): Row[] {
    const rows = this.#complete
    if (!this.#isSorted) rows.sort((a, b) => a.number - b.number)
    this.#complete = []
    this.#isSorted = true
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

  /** A row without a usable number follows the one before it. */
  #openRow({ r = "" }: Attributes): void {
    const number = rowReference(r) ?? this.#row.number + 1
    if (number < this.#row.number) this.#isSorted = false
    this.#row = { number, cells: [], characters: 0 }
    this.#column = 0
  }

  #closeRow(): void {
    this.rows++
    const width = this.#row.cells.length
    if (width > 0) this.#complete.push(this.#row)
    else this.#blanks.addRow()
    this.#cells += width
    if (this.#cells > TABLE_LIMITS.cells) throw this.#tooLarge()
  }

  /** A cell without a usable reference follows the one before it. */
  #openCell({ r = "", t = "n", s }: Attributes): void {
    this.#column = cellReference(r)?.column ?? this.#column + 1
    this.#cell = { column: this.#column, type: t, style: s, value: "" }
  }

  #closeCell(): void {
    const value = this.#cell ? this.#valueOf(this.#cell) : ""
    if (value === "") this.#blanks.addCell()
    else if (this.#cell) this.#setCell(this.#cell.column, value)
    this.#cell = null
  }

  /** A cell with a high column number would create many empty cells before it. */
  #setCell(column: number, value: string): void {
    const { cells, characters } = this.#row
    if (column > TABLE_LIMITS.columns) this.omitted ??= this.#tooLarge()
    else if (characters + value.length > TABLE_LIMITS.token)
      this.omitted ??= tooLarge(`a row of a workbook may hold at most ${TABLE_LIMITS.token} characters`)
    else {
      while (cells.length < column) cells.push("")
      cells[column - 1] = value
      this.#row.characters += value.length
    }
  }

  #tooLarge(): AppError {
    return tooLarge(
      `${this.#what} of the workbook may have at most ${TABLE_LIMITS.columns} columns and ${TABLE_LIMITS.cells} cells`,
    )
  }

  /** A value that its type does not have is given as it is written. It may be in a column that is not read. */
  #valueOf({ type, style, value }: Cell): string {
    const inline = this.#inline.take()
    const text = cellText(value)
    // Some programs write inline text in a cell of another type, and the value of an inline string in its `v`.
    if (inline !== "" || text === "") return inline
    switch (type) {
      case "e":
        return ""
      case "n":
        return style !== undefined && this.#workbook.showsDate[Number(style)]
          ? dateText(text, this.#workbook.is1904)
          : text
      case "s":
        return this.#workbook.strings[Number(text)] ?? ""
      case "b":
        return BOOLEANS.get(text.toLowerCase()) ?? text
      case "d":
        return spelledDate(text)
      default:
        return text
    }
  }
}

const BOOLEANS: ReadonlyMap<string, string> = new Map([
  ["1", "true"],
  ["true", "true"],
  ["0", "false"],
  ["false", "false"],
])

import { TABLE_LIMITS } from "./uploaded-file.ts"

export interface CsvProblem {
  readonly kind: "record_too_long" | "open_quote" | "too_many_columns"
  /** The line, from 1, where the record begins. */
  readonly line: number
}

/** The problem in words for the caller. */
export function csvProblemText({ kind, line }: CsvProblem): string {
  if (kind === "too_many_columns") return `line ${line} has more than ${TABLE_LIMITS.columns} columns`
  const length = kind === "record_too_long" ? ` within ${TABLE_LIMITS.recordLength} letters` : ""
  return `the record at line ${line} does not end${length}; is a quote left open?`
}

/**
 * What the next character is: the first of a field, inside a field, inside quotes, behind a backslash inside quotes, or
 * behind a quote inside quotes.
 */
type State = "field_start" | "plain" | "quoted" | "escaped" | "behind_quote"

const [LF, CR, QUOTE, BACKSLASH] = [0x0a, 0x0d, 0x22, 0x5c]

/**
 * Reads a CSV (RFC 4180) from pieces of text, whatever their size. It accepts each kind of line end, skips blank lines,
 * and accepts records of different lengths. A quote inside an unquoted field is a character. Text behind a closing quote
 * belongs to the field, which then keeps its quotes. Time is linear in the text, and memory is bounded by one record.
 */
export class CsvReader {
  /** Set when the text is refused; the rest of it is not read. */
  problem: CsvProblem | null = null
  /** Fields with text behind their closing quote. */
  brokenQuotes = 0
  readonly #dialect: Dialect
  readonly #delimiter: number
  #state: State = "field_start"
  #records: string[][] = []
  #record: string[] = []
  #field = ""
  #wasQuoted = false
  #isBehindCr = false
  #letters = 0
  #line = 1
  #recordLine = 1

  constructor(dialect: Dialect) {
    this.#dialect = dialect
    this.#delimiter = dialect.delimiter === null ? Number.NaN : dialect.delimiter.charCodeAt(0)
  }

  /** The records that end in this piece. */
  push(piece: string): string[][] {
    for (let at = 0; at < piece.length && !this.problem; ) at = this.#step(piece, at)
    return this.#take()
  }

  /** The last record. */
  end(): string[][] {
    if (this.#state === "quoted" || this.#state === "escaped") this.#fail("open_quote")
    if (!this.problem && this.#dialect.isList) this.#endEntry()
    else if (!this.problem) this.#endRecord()
    return this.#take()
  }

  #take(): string[][] {
    const records = this.#records
    this.#records = []
    return records
  }

  /** Consumes something of the piece. @returns where to go on */
  #step(piece: string, at: number): number {
    if (this.#isBehindCr) {
      this.#isBehindCr = false
      if (piece.charCodeAt(at) === LF) return at + 1
    }
    switch (this.#state) {
      case "field_start":
        return this.#startField(piece, at)
      case "plain":
        return this.#readPlain(piece, at)
      case "quoted":
        return this.#readQuoted(piece, at)
      case "escaped":
        return this.#readEscaped(piece, at)
      case "behind_quote":
        return this.#readBehindQuote(piece, at)
    }
  }

  #startField(piece: string, at: number): number {
    const isQuote = piece[at] === '"'
    this.#state = isQuote ? "quoted" : "plain"
    return isQuote ? at + 1 : at
  }

  #readPlain(piece: string, at: number): number {
    let end = at
    while (end < piece.length && !this.#endsField(piece.charCodeAt(end))) end++
    this.#append(piece.slice(at, end))
    if (end === piece.length) return end
    const code = piece.charCodeAt(end)
    if (code !== this.#delimiter) this.#endLine(code)
    else if (this.#dialect.isList) this.#endEntry()
    else this.#endField()
    return end + 1
  }

  #endsField(code: number): boolean {
    return code === this.#delimiter || code === LF || code === CR
  }

  #readQuoted(piece: string, at: number): number {
    let end = at
    while (end < piece.length && !this.#endsQuoted(piece.charCodeAt(end))) end++
    const text = piece.slice(at, end)
    for (let lf = text.indexOf("\n"); lf >= 0; lf = text.indexOf("\n", lf + 1)) this.#line++
    this.#append(text)
    if (end === piece.length) return end
    this.#state = piece[end] === '"' ? "behind_quote" : "escaped"
    return end + 1
  }

  #endsQuoted(code: number): boolean {
    return code === QUOTE || (code === BACKSLASH && this.#dialect.hasBackslashes)
  }

  /** A backslash escapes a quote and itself. Before another character it is a character. */
  #readEscaped(piece: string, at: number): number {
    this.#state = "quoted"
    const isEscape = piece[at] === '"' || piece[at] === "\\"
    this.#append(isEscape ? piece[at]! : "\\")
    return isEscape ? at + 1 : at
  }

  #readBehindQuote(piece: string, at: number): number {
    if (piece[at] === '"') {
      this.#append('"')
      this.#state = "quoted"
      return at + 1
    }
    if (!this.#endsField(piece.charCodeAt(at))) {
      this.#field = `"${this.#field}"`
      this.brokenQuotes++
    }
    this.#wasQuoted = true
    this.#state = "plain"
    return at
  }

  #append(text: string): void {
    this.#field += text
    this.#letters += text.length
    if (this.#letters > TABLE_LIMITS.recordLength) this.#fail("record_too_long")
  }

  #endField(): void {
    this.#record.push(this.#field)
    this.#field = ""
    this.#wasQuoted = false
    this.#state = "field_start"
    if (this.#record.length >= TABLE_LIMITS.columns) this.#fail("too_many_columns")
  }

  /** Spaces beside the delimiter of a list belong to it. */
  #endEntry(): void {
    this.#field = this.#field.trim()
    this.#endRecord()
  }

  #endLine(code: number): void {
    this.#isBehindCr = code === CR
    if (this.#dialect.isList) this.#endEntry()
    else this.#endRecord()
    this.#recordLine = ++this.#line
  }

  #endRecord(): void {
    const isBlank =
      this.#record.length === 0 && this.#field === "" && !this.#wasQuoted && this.#state !== "behind_quote"
    if (!isBlank) {
      this.#record.push(this.#field)
      this.#records.push(this.#record)
    }
    this.#record = []
    this.#field = ""
    this.#wasQuoted = false
    this.#letters = 0
    this.#state = "field_start"
  }

  #fail(kind: CsvProblem["kind"]): void {
    this.problem ??= { kind, line: this.#recordLine }
  }
}

/** The usual delimiters, the most likely first. */
export const DELIMITERS = [",", ";", "\t", "|"] as const
/** Delimiters of old systems. They are also characters of addresses and times, so only a header makes them one. */
export const RARE_DELIMITERS = ["^", "~", ":"] as const
export type Delimiter = (typeof DELIMITERS | typeof RARE_DELIMITERS)[number]

/** How a text is split into records and fields. */
export interface Dialect {
  /** Null for a table of one column. */
  readonly delimiter: Delimiter | null
  /** A backslash escapes a quote inside quotes, as databases write it. RFC 4180 doubles the quote. */
  readonly hasBackslashes: boolean
  /** The text is a list of addresses, and the delimiter ends a record as a line end does. */
  readonly isList: boolean
}

/** One value on each line. */
export const ONE_COLUMN: Dialect = { delimiter: null, hasBackslashes: false, isList: false }

const DECLARATION = /^("?)sep=([,;\t|^~:])\1(?:\r|\n|$)/i

/** Returns the delimiter of a first line "sep=;" (Excel's form, with or without quotes). Null without such a line. */
export function declaredDelimiter(sample: string): Delimiter | null {
  return (DECLARATION.exec(sample)?.[2] as Delimiter | undefined) ?? null
}

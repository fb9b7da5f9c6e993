import { SaxesParser } from "saxes"
import { yieldToEventLoop } from "../../concurrency/yield-to-event-loop.ts"
import { TABLE_LIMITS } from "../../domain/lists/uploaded-file.ts"
import { tooLarge } from "../../errors.ts"
import { unreadable } from "./read-limits.ts"
import type { Part } from "./unpack.ts"

export type Attributes = Readonly<Record<string, string>>

/** Events of one file. Element names come without their namespace prefix. */
export interface XmlEvents {
  open(name: string, attributes: Attributes): void
  close?(name: string): void
  text?(text: string): void
}

/** Bytes parsed before other requests can run. */
const BUDGET_BYTES = 65_536

/** Parses one XML file of a workbook in bounded steps and in linear time. TABLE_LIMITS bound the memory. */
export class XmlReader {
  readonly #part: Part
  readonly #what: string
  readonly #parser = new SaxesParser({ xmlns: false })
  readonly #decoder = new TextDecoder()
  #next = 0
  #depth = 0
  /** Where the last complete tag or text ends. */
  #tokenEnd = 0

  /** @param what the name of the file in an error, such as "sheet 1" */
  constructor(part: Part, what: string, events: XmlEvents) {
    this.#part = part
    this.#what = what
    this.#parser.on("error", ({ message }) => {
      throw this.#malformed(message)
    })
    this.#parser.on("opentag", ({ name, attributes }) => {
      this.#tokenEnd = this.#parser.position
      if (++this.#depth > TABLE_LIMITS.depth)
        throw unreadable(`${what} of the workbook has elements nested deeper than ${TABLE_LIMITS.depth}`)
      events.open(withoutPrefix(name), attributes)
    })
    this.#parser.on("closetag", ({ name }) => {
      this.#tokenEnd = this.#parser.position
      this.#depth--
      events.close?.(withoutPrefix(name))
    })
    this.#parser.on("text", (text) => {
      this.#tokenEnd = this.#parser.position
      events.text?.(text)
    })
    this.#parser.on("cdata", (text) => events.text?.(text))
  }

  /**
   * Parses the next part of the file, after other requests could run.
   * @returns false at the end of the file
   * @throws AppError invalid, with the file, the position and the fault
   */
  async step(): Promise<boolean> {
    if (this.#next > this.#part.length) return false
    await yieldToEventLoop()
    let bytes = 0
    while (this.#next < this.#part.length && bytes < BUDGET_BYTES) {
      const piece = this.#part[this.#next++]!
      bytes += piece.length
      this.#parser.write(this.#decoder.decode(piece, { stream: true }))
      if (this.#parser.position - this.#tokenEnd > TABLE_LIMITS.token)
        throw unreadable(
          `${this.#what} of the workbook has a tag, text or comment of more than ${TABLE_LIMITS.token} characters`,
        )
    }
    if (this.#next === this.#part.length) this.#end()
    return true
  }

  /** Reads the whole file. @throws AppError invalid */
  async readAll(): Promise<void> {
    while (await this.step());
  }

  #end(): void {
    this.#next++
    this.#parser.write(this.#decoder.decode())
    this.#parser.close()
  }

  /** @param message "line:column: fault." */
  #malformed(message: string): Error {
    const [, line, column, fault = message] = /^(\d+):(\d+): (.*?)\.?$/s.exec(message) ?? []
    const position = line === undefined ? "" : ` at line ${line}, column ${column}`
    return unreadable(`${this.#what} of the workbook is not well-formed XML${position}: ${fault.slice(0, 200)}`)
  }
}

/** The value of an attribute with any namespace prefix. */
export function attributeNamed(attributes: Attributes, wantedName: string): string | undefined {
  const name = Object.keys(attributes).find((name) => withoutPrefix(name) === wantedName)
  return name === undefined ? undefined : attributes[name]
}

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf(":") + 1)
}

const ESCAPED = /_x([0-9A-Fa-f]{4})_/g

/** Collects the text of a cell or of a shared string: its `t` elements, without phonetic hints (`rPh`). */
export class TextRuns {
  #text = ""
  #inText = false
  #inHint = false

  open(name: string): void {
    if (name === "t") this.#inText = true
    else if (name === "rPh") this.#inHint = true
  }

  close(name: string): void {
    if (name === "t") this.#inText = false
    else if (name === "rPh") this.#inHint = false
  }

  /** @throws AppError payload_too_large */
  add(text: string): void {
    if (this.#inText && !this.#inHint) this.#text = joined(this.#text, text)
  }

  /** Returns the text so far and starts a new text. */
  take(): string {
    const text = cellText(this.#text)
    this.#text = ""
    return text
  }
}

/** Appends a chunk to the text of a cell. @throws AppError payload_too_large when it exceeds the limit of a row */
export function joined(text: string, more: string): string {
  if (text.length + more.length > TABLE_LIMITS.token)
    throw tooLarge(`a cell of a workbook may hold at most ${TABLE_LIMITS.token} characters`)
  return text + more
}

/** Text as a cell shows it, trimmed. `_x000D_` encodes a character (ECMA-376 part 1, 22.9.2.19). */
export function cellText(text: string): string {
  const decoded = text.includes("_x")
    ? text.replace(ESCAPED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text
  return decoded.trim()
}

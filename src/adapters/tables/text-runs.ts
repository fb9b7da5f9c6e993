import { TABLE_LIMITS } from "../../domain/lists/uploaded-file.ts"
import { tooLarge } from "../../errors.ts"

const ESCAPED = /_x([0-9A-Fa-f]{4})_/g

/**
 * Collects the text of a cell or of a shared string: one `t` element, or one for each run of formatted text.
 * Phonetic hints (`rPh`) are left out.
 */
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

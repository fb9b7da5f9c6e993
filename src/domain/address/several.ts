/** Longest text that is split, in characters, and longest entry that `listsSeveral` judges. */
const LONGEST = 65_536
const LONGEST_ENTRY = 2_000
/**
 * What separates entries, the strongest first. Google Contacts joins values with ":::", web pages with "<br>", and some
 * exports put a backslash before a semicolon.
 */
const SEPARATORS: readonly RegExp[] = [/:::|\\?[;；]|[\n\r\t|]|<br ?\/?>/iy, /[,，、]/y, /\s/y]
const WHITE_SPACE = SEPARATORS.length - 1
/** What may stand between addresses that only white space separates. */
const CONNECTOR = /^(?:[\p{P}\p{S}]+|and|or|und|oder|et|ou|y|o|e)$/iu
/** What precedes a quote that does not open a quoted string. */
const BESIDE_QUOTE = /[^\s;,|:]/
/** A word that is probably an address. */
const LIKELY = /^[^@]+@[^@.]+\.[^@]+$/

/**
 * Splits a text that lists several addresses (RFC 5322 §3.4, address-list), also with semicolons, ":::", line ends or
 * only white space between them. It does not split inside quotes and angle brackets.
 * @returns the entries as given, with their display names; the text itself when it lists at most one address
 */
export function splitAddresses(text: string): string[] {
  if (text.length > LONGEST || !text.includes("@")) return [text]
  const entries = entriesOf(text, 0)
  return entries.length > 1 && atSignsIn(text) < 2 ? [text] : entries
}

/** Whether a text that is no well-formed address lists several, also when it cannot be split for certain. */
export function listsSeveral(text: string): boolean {
  if (text.length > LONGEST_ENTRY || atSignsIn(text) < 2) return false
  return (
    entriesOf(text, 0)
      .flatMap((entry) => split(entry, WHITE_SPACE))
      .filter((word) => LIKELY.test(word)).length > 1
  )
}

function entriesOf(text: string, level: number): string[] {
  if (level === WHITE_SPACE) return wordsOf(text)
  const pieces = split(text, level)
  return (level === 0 ? pieces : withNames(pieces)).flatMap((entry) =>
    atSignsIn(entry) > 1 ? entriesOf(entry, level + 1) : [withoutCommas(entry)],
  )
}

/** Joins the pieces of a display name: "Roe, Jane <jane@example.com>". */
function withNames(pieces: readonly string[]): string[] {
  const entries: string[] = []
  let name: string[] = []
  for (const piece of pieces) {
    if (!piece.includes("@")) name.push(piece)
    else {
      entries.push(...(piece.includes("<") ? [[...name, piece].join(", ")] : [...name, piece]))
      name = []
    }
  }
  return [...entries, ...name]
}

/** An address without the commas of a list that ends or begins with one. */
function withoutCommas(entry: string): string {
  const pieces = entry.startsWith(",") || entry.endsWith(",") ? split(entry, 1) : []
  return pieces.length === 1 ? pieces[0]! : entry
}

/** The addresses of a text without other separators than white space. A text with other words stays whole. */
function wordsOf(text: string): string[] {
  const words = split(text, WHITE_SPACE).flatMap(atSlashes)
  const addresses = words.filter((word) => word.includes("@"))
  const isClear = words.every((word) => word.includes("@") || CONNECTOR.test(word))
  const isNamed = addresses.every((word) => /^<[^<>]*>$/.test(word))
  return addresses.length > 1 && (isClear || isNamed) ? addresses : [text]
}

/** Splits at the slashes behind a domain, which has none. A local part may have one. */
function atSlashes(word: string): string[] {
  if (!word.includes("/") || atSignsIn(word) < 2) return [word]
  const pieces: string[] = []
  let start = ""
  for (const piece of word.split("/")) {
    if (piece.includes("@")) pieces.push(start + piece)
    start = piece.includes("@") ? "" : `${start}${piece}/`
  }
  return pieces
}

/** The pieces between the separators of a level, without blank ones. */
function split(text: string, level: number): string[] {
  const separator = SEPARATORS[level]!
  const [lastQuote, lastBracket] = [text.lastIndexOf('"'), text.lastIndexOf(">")]
  const pieces: string[] = []
  let start = 0
  const end = (at: number) => {
    const piece = text.slice(start, at).trim()
    if (piece !== "") pieces.push(piece)
  }
  for (let at = 0; at < text.length; ) {
    separator.lastIndex = at
    if (separator.test(text)) {
      end(at)
      start = at = separator.lastIndex
    } else if (text[at] === '"' && at < lastQuote && !BESIDE_QUOTE.test(text[at - 1] ?? " ")) at = afterQuoted(text, at)
    else if (text[at] === "<" && at < lastBracket) {
      at = text.indexOf(">", at) + 1
      if (level === WHITE_SPACE && text[at] === "<") {
        end(at)
        start = at
      }
    } else at++
  }
  end(text.length)
  return pieces
}

/** The index after a quoted string (RFC 5322 §3.2.4), or after its opening quote when none closes it. */
function afterQuoted(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++
    else if (text[at] === '"') return at + 1
  }
  return start + 1
}

function atSignsIn(text: string): number {
  let count = 0
  for (let at = text.indexOf("@"); at >= 0 && count < 2; at = text.indexOf("@", at + 1)) count++
  return count
}

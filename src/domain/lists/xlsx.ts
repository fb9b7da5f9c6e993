import { columnNamed } from "./column-names.ts"
import type { Cell } from "./download.ts"

/** What the first rows of a sheet show. */
export interface SheetTraits {
  /** Distinct addresses in the column that has most of them. */
  readonly addresses: number
  readonly isHidden: boolean
  /** Whether the sheet has the column that the caller names. False when the caller names none. */
  readonly hasColumn: boolean
  /** Whether a column has addresses or a known name. */
  readonly isNamed: boolean
}

/**
 * Whether a sheet is read rather than an earlier one. A visible sheet with the named column precedes others, then the
 * visible sheet with the most addresses. A hidden sheet is read only when no visible sheet has an address.
 */
export function isPreferred(sheet: SheetTraits, earlier: SheetTraits): boolean {
  const [ranks, others] = [ranksOf(sheet), ranksOf(earlier)]
  const decisive = ranks.findIndex((rank, index) => rank !== others[index])
  return decisive >= 0 && ranks[decisive]! > others[decisive]!
}

/** The first rank that differs decides. */
function ranksOf({ addresses, isHidden, hasColumn, isNamed }: SheetTraits): number[] {
  return [
    Number(!isHidden && hasColumn),
    Number(!isHidden && addresses > 0),
    Number(hasColumn && addresses > 0),
    addresses,
    Number(!isHidden),
    Number(isNamed),
  ]
}

/** Whether the first rows of a sheet have the named column. A header may follow titles. */
export function hasColumn(rows: readonly (readonly string[])[], column: string | null): boolean {
  return column !== null && rows.some((row) => columnNamed(column, row) !== null)
}

/** Names and letters of a name in an error, whatever a file contains. */
const SHOWN = { names: 10, letters: 40 } as const

/** Why no sheet is read: the workbook has none with the wanted name or number. */
export function unknownSheet(wanted: string, names: readonly string[]): string {
  const shown = names.slice(0, SHOWN.names).map(quoted).join(", ")
  const more = names.length > SHOWN.names ? ` and ${names.length - SHOWN.names} more` : ""
  return `the workbook has no sheet ${quoted(wanted)}; it has ${shown || "no sheets"}${more}`
}

function quoted(name: string): string {
  return JSON.stringify(name.length > SHOWN.letters ? `${name.slice(0, SHOWN.letters)}…` : name)
}

/** Where a cell of a sheet is; both count from 1. */
interface CellReference {
  readonly row: number
  readonly column: number
}

const CELL = /^\$?([A-Z]{1,3})\$?([1-9]\d{0,6})$/i
const ROW = /^[1-9]\d{0,6}$/

/** Reads the reference of a cell in SpreadsheetML: "B7" is row 7, column 2, and so is "$b$7". Null when it is malformed. */
export function cellReference(text: string): CellReference | null {
  const [, letters, digits] = CELL.exec(text) ?? []
  return letters === undefined ? null : { row: Number(digits), column: columnOf(letters) }
}

/** Reads the number of a row in SpreadsheetML. Null when it is malformed. */
export function rowReference(text: string): number | null {
  return ROW.test(text) ? Number(text) : null
}

/** "A" is 1, "XFD" is 16384. */
function columnOf(letters: string): number {
  let column = 0
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64
  return column
}

/** The letters of a column: 1 is "A", 16384 is "XFD". */
export function columnLetters(column: number): string {
  let letters = ""
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters
  return letters
}

/** Number formats that Excel has built in and shows as dates or times, those of East Asian and Thai locales included. */
const BUILT_IN: ReadonlySet<number> = new Set(
  [
    [14, 22],
    [27, 36],
    [45, 47],
    [50, 58],
    [71, 81],
  ].flatMap(([first = 0, last = 0]) => Array.from({ length: last - first + 1 }, (_, index) => first + index)),
)
/** Excel takes no longer format. */
const LONGEST_FORMAT = 255
const PART_OF_DATE = /^(?:s{1,2}|m{1,5}|h{1,2}|am|pm|a|p|d{1,4}|a{3,5}|y|yy|yyyy|e|ee|eeee)$/

const DAY_MS = 86_400_000
/** Days from the first day of each of Excel's calendars to 1970. */
const DAYS_TO_UNIX = { from1900: 25_569, from1904: 24_107 } as const

/** Whether a number format shows a date or a time. @param format the format itself, where it is not built in */
export function isDateFormat(id: number, format: string | undefined): boolean {
  if (BUILT_IN.has(id)) return true
  if (format === undefined || format.length > LONGEST_FORMAT) return false
  return format.toLowerCase().replace(/\\./g, " ").split(";").some(isDateSection)
}

/** Only parts of dates are left when quoted text, fractions of seconds, colors and locales are taken away. */
function isDateSection(section: string): boolean {
  const parts = section
    .replace(/"[^"]*"/g, " ")
    .replace(/([smhd]\]?)[.,]0{1,3}/g, "$1")
    .replace(/\[([smhd]{1,2})\]/g, "$1")
    .replace(/\[[^[\]]*\]/g, "")
    .split(/[^a-z0#?%]+/)
    .filter((part) => part !== "")
  return parts.length > 0 && parts.every((part) => PART_OF_DATE.test(part))
}

/** A number of days as a date in ISO 8601, without a time at midnight. A number that is no date stays as it is. */
export function dateText(days: string, is1904: boolean): string {
  const unixDays = Number(days) - (is1904 ? DAYS_TO_UNIX.from1904 : DAYS_TO_UNIX.from1900)
  return isoText(Math.floor(unixDays * DAY_MS)) ?? days
}

/** A date that a cell spells out, in the form of `dateText`. */
export function spelledDate(text: string): string {
  return isoText(Date.parse(text)) ?? text
}

function isoText(unixMs: number): string | null {
  const date = new Date(unixMs)
  return Number.isNaN(date.valueOf()) ? null : date.toISOString().replace(/T00:00:00\.000Z$/, "")
}

/** The package itself, whose relationships lead to the main part of a workbook. */
export const PACKAGE = "/"

/** Relationship types, in the transitional and the strict form of the format. */
const TYPE =
  /^http:\/\/(?:schemas\.openxmlformats\.org|purl\.oclc\.org\/ooxml)\/officeDocument\/(?:2006\/)?relationships\/(\w+)$/

/**
 * The name of a part, in the form in which names are compared: absolute, with slashes, decoded and in lower case
 * (ECMA-376 part 2, 6.2.2 and 6.3.5). Programs write backslashes, dots, escapes and other cases.
 * @param path the name of a file in the archive, or the target of a relationship
 * @param source the name of the part that the target is relative to
 */
export function partName(path: string, source = PACKAGE): string {
  const url = URL.parse(escaped(path.replace(/^[\\/]+/, "/")), `http://package${escaped(source)}`)
  return decoded(url?.pathname ?? path)
    .replace(/[\\/]+/g, "/")
    .toLowerCase()
}

/** The name of the part with the relationships of a part (ECMA-376 part 2, 6.5.2), or of the package. */
export function relationshipsPart(source: string): string {
  const end = source.lastIndexOf("/") + 1
  return `${source.slice(0, end)}_rels/${source.slice(end)}.rels`
}

/** The last word of a relationship's type, such as "worksheet". Empty for a type of another program. */
export function relationshipKind(type: string): string {
  return TYPE.exec(type.trim())?.[1] ?? ""
}

/** Part names have no query and no fragment. */
function escaped(path: string): string {
  return path.replace(/[?#]/g, encodeURIComponent)
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Rows of a sheet and characters (UTF-16) of a cell that Excel opens. */
export const SHEET_LIMITS = { rows: 1_048_576, cellLength: 32_767 } as const

/** Characters that XML cannot hold, and text that looks escaped. */
const ESCAPED = /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

/**
 * Formats a row in SpreadsheetML (ECMA-376 part 1, 18.3.1.73). Text is never a formula, and longer text than Excel
 * opens is cut. Null and empty text have no cell.
 * @param row counts from 1
 */
export function sheetRow(row: number, cells: readonly Cell[]): string {
  return `<row r="${row}">${cells.map((cell, index) => cellXml(`${columnLetters(index + 1)}${row}`, cell)).join("")}</row>`
}

function cellXml(reference: string, cell: Cell): string {
  if (cell === null || cell === "") return ""
  if (typeof cell === "number") return `<c r="${reference}"><v>${cell}</v></c>`
  if (typeof cell === "boolean") return `<c r="${reference}" t="b"><v>${cell ? 1 : 0}</v></c>`
  const space = /^\s|\s$/.test(cell) ? ' xml:space="preserve"' : ""
  return `<c r="${reference}" t="inlineStr"><is><t${space}>${textXml(cell)}</t></is></c>`
}

/**
 * Escapes text for XML. A character that XML forbids becomes its code, such as `_x0007_` (ECMA-376 part 1, 22.9.2.19).
 * Lines end with LF, as Excel writes them.
 */
function textXml(text: string): string {
  return text
    .slice(0, SHEET_LIMITS.cellLength)
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(ESCAPED, (char) => `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`)
    .replace(/[&<>]/g, (char) => ENTITIES[char]!)
}

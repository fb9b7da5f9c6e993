import { mayName, nameKind } from "./column-names.ts"
import { CsvReader, DELIMITERS, type Delimiter, type Dialect, RARE_DELIMITERS } from "./csv-reader.ts"
import { AddressReader } from "./list-addresses.ts"

/** Characters and records to inspect. */
const CHARACTERS = 20_000
const RECORDS = 50
/** Records among which the names of the columns are searched. Each cell takes 1 us, in each dialect. */
const TITLES = 10

interface Sample {
  /** The first characters of the text. Its last record may be incomplete. */
  readonly text: string
  /** The file is declared as plain text, whose lines may have commas that separate nothing. */
  readonly isText: boolean
  /** The delimiter that the file names itself. */
  readonly declared: Delimiter | null
}

/**
 * Finds how a text is split: by the dialect under which one column has the most addresses. Without a difference, the one
 * that splits most records into the same number of fields, and without such a one, none: one value on each line.
 * Quoted fields are not split (RFC 4180).
 */
export function findDialect({ text, isText, declared }: Sample): Dialect {
  const sample = text.slice(0, CHARACTERS)
  const addresses = new AddressReader()
  const usual = DELIMITERS.filter((one) => sample.includes(one))
  const delimiters = declared
    ? [declared]
    : [null, ...usual, ...RARE_DELIMITERS.filter((one) => splitsHeader(sample, one))]
  const ratings = delimiters.flatMap((delimiter) =>
    (sample.includes('\\"') ? [false, true] : [false]).map((hasBackslashes) =>
      rate(sample, { delimiter, hasBackslashes, isList: false }, addresses),
    ),
  )
  const { dialect } = ratings.reduce((best, next) => (isBetter(next, best, isText) ? next : best))
  // A file that declares its delimiter is a table.
  return declared ? { ...dialect, isList: false } : dialect
}

/** Whether the first line holds the name of an address column and others, between such delimiters. */
function splitsHeader(sample: string, delimiter: Delimiter): boolean {
  const names = sample.slice(0, sample.search(/[\r\n]/)).split(delimiter)
  return names.length > 1 && names.every(mayName) && names.some((name) => nameKind(name).kind === "exact")
}

interface Rating {
  readonly dialect: Dialect
  /** Well-formed addresses of the best column, or of all columns of a list. */
  readonly addresses: number
  /** Whether a field of the first records is exactly the name of an address column. */
  readonly isNamed: boolean
  /** 0 when nothing is split, and about 1 when every record is split alike. */
  readonly fit: number
}

function isBetter(next: Rating, best: Rating, isText: boolean): boolean {
  if (next.addresses !== best.addresses) return next.addresses > best.addresses
  if (next.addresses === 0 && next.isNamed !== best.isNamed) return next.isNamed
  const mayBeLine = isText && next.addresses > 0 && best.dialect.delimiter === null && !next.dialect.isList
  return next.fit > best.fit && !mayBeLine
}

function rate(sample: string, dialect: Dialect, reader: AddressReader): Rating {
  const { records, problem, brokenQuotes } = recordsOf(sample, dialect)
  // A line of a thousand addresses is a list, and no table.
  if (problem?.kind === "too_many_columns") return rateLongLine(sample, dialect, reader)
  const byColumn: number[] = []
  let [others, inAll, cells] = [0, 0, 0]
  for (const [row, record] of records.entries())
    for (const [column, cell] of record.entries()) {
      if (cell.trim() === "") continue
      const found = addressesOf(cell, reader)
      byColumn[column] = (byColumn[column] ?? 0) + (record.length === 1 ? isLine(found, cell) : found)
      inAll += found
      cells++
      const isTitle = row === 0 && record.length === 1 && !DELIMITERS.some((delimiter) => cell.includes(delimiter))
      if (!cell.includes("@") && !isTitle) others++
    }
  const isList = dialect.delimiter !== null && others === 0 && inAll * 2 > cells && byColumn.length > 1
  const addresses = isList ? inAll : Math.max(0, ...byColumn.filter((found) => found))
  const isNamed = records.slice(0, TITLES).some((record) => record.some((cell) => nameKind(cell).kind === "exact"))
  const fit = dialect.delimiter === null ? 0 : fitOf(records, brokenQuotes)
  return { dialect: { ...dialect, isList }, addresses, isNamed, fit }
}

function rateLongLine(sample: string, dialect: Dialect, reader: AddressReader): Rating {
  const { records } = recordsOf(sample, { ...dialect, isList: true })
  const addresses = records.filter(([cell = ""]) => addressesOf(cell, reader) > 0).length
  const isList = addresses * 2 > records.length
  return { dialect: { ...dialect, isList }, addresses: isList ? addresses : 0, isNamed: false, fit: 1 }
}

/** Well-formed addresses of a cell with nothing but addresses. */
function addressesOf(cell: string, reader: AddressReader): number {
  const entries = cell.includes("@") ? reader.readCell(cell) : []
  return entries.every(({ email }) => email.includes("@")) ? entries.filter(({ domain }) => domain !== "").length : 0
}

/**
 * 1 for a whole line that is an address or several. Two addresses on a line are more often two columns, and a separator
 * at the end is one, too.
 */
function isLine(found: number, line: string): number {
  return found > 0 && !/[,;]\s?$/.test(line) ? 1 : 0
}

function recordsOf(sample: string, dialect: Dialect) {
  const reader = new CsvReader(dialect)
  const records = reader.push(sample)
  // Ends the record that the sample cuts, which may be the first.
  if (records.length < 2) records.push(...reader.push("\n"))
  if (records.length < 2) records.push(...reader.push('"\n'))
  return { records: records.slice(0, RECORDS), problem: reader.problem, brokenQuotes: reader.brokenQuotes }
}

/**
 * Rates a split: 1 when every record is split alike. More fields add a little. Text behind a closing quote subtracts,
 * because it indicates a wrong delimiter.
 */
function fitOf(records: readonly (readonly string[])[], brokenQuotes: number): number {
  const cut = records.filter(({ length }) => length > 1)
  if (cut.length === 0 || cut.length * 2 < records.length) return 0
  const byFields = new Map<number, number>()
  for (const { length } of cut) byFields.set(length, (byFields.get(length) ?? 0) + 1)
  const [fields, equal] = [...byFields].reduce((most, next) => (next[1] > most[1] ? next : most), [1, 0])
  return (equal - Math.min(brokenQuotes, equal) / 2) / records.length + Math.min(fields, 100) / 10_000
}

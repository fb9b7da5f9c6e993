/** Limits of an uploaded table. A longer list needs /validate/bulk/async, which reads a stream. */
export const TABLE_LIMITS = {
  /** Size of the file, and of an unpacked workbook. */
  bytes: 20_000_000,
  records: 1_000_000,
  columns: 256,
  /** Length of a record in characters. A note may be long; a longer record has an unclosed quote. */
  recordLength: 1_000_000,
  /** Files in the archive of a workbook: each picture is one. Those that are not read are only listed. */
  entries: 10_000,
  /** Sheets of a workbook whose first rows are compared. */
  sheets: 200,
  /**
   * Unpacked bytes for each packed byte of a workbook. Workbooks of Excel, openpyxl and XlsxWriter, also with 60,000
   * empty formatted rows, unpack to 7 to 17 times their size. DEFLATE reaches 1,032.
   */
  ratio: 150,
  /** Unpacked bytes that may exceed the ratio: small files repeat little else than tags. */
  anyRatioBytes: 1_000_000,
  /** Rows of a sheet without a value. Formats leave some ten thousands of them below a list. */
  emptyRows: 100_000,
  /** Cells of a sheet without a value. As Excel writes them, they take 16 bytes or more: 20 MB hold fewer. */
  emptyCells: 1_200_000,
  /** Cells of a sheet up to the last value of each row, including empty cells between them. */
  cells: 5_000_000,
  /** Shared strings of a workbook. Each takes 17 bytes or more: 20 MB hold fewer. */
  strings: 1_200_000,
  /** Characters of all cells. A short workbook may repeat a long text in each row. */
  characters: 40_000_000,
  /** Characters of one tag, text or comment in a workbook, and of one row. A cell of Excel has at most 32,767. */
  token: 262_144,
  /** Elements of a workbook inside each other. The format needs fewer than 20. */
  depth: 100,
} as const

/** Encodings that are detected. Latin-1 files are read as Windows-1252, as in browsers. */
type DetectedEncoding = "utf-8" | "utf-16le" | "utf-16be" | "iso-2022-jp" | "windows-1252"

export interface FoundEncoding {
  /** A label that TextDecoder knows (WHATWG Encoding §4.2). */
  readonly encoding: string
  /** Length of the byte order mark in bytes. */
  readonly bomLength: number
}

/** The marks of UTF-32, which is not read. */
const UTF_32 = [
  [0xff, 0xfe, 0, 0],
  [0, 0, 0xfe, 0xff],
]
const MARKS: readonly (readonly [DetectedEncoding, readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
]
/** Bytes to search for the zeros of UTF-16, in pairs. */
const SAMPLE = 65_536
const ESCAPE = 0x1b
/** Runs of bytes beyond ASCII that decide whether a text is Windows-1252. */
const RUNS = 10_000

/**
 * Detects the encoding by its byte order mark, by the zeros of ASCII characters in UTF-16, by UTF-8 sequences, or by
 * words that Windows-1252 could have.
 * @returns null for a text in an encoding that only its writer can name
 */
export function findEncoding(bytes: Uint8Array): FoundEncoding | null {
  if (UTF_32.some((mark) => mark.every((byte, i) => bytes[i] === byte))) return null
  for (const [encoding, mark] of MARKS)
    if (mark.every((byte, i) => bytes[i] === byte)) return { encoding, bomLength: mark.length }
  const encoding = utf16(bytes) ?? (isUtf8(bytes) ? sevenBit(bytes) : mixed(bytes))
  return encoding && { encoding, bomLength: 0 }
}

/** Whether line ends, commas and other ASCII characters make zeros at odd, or at even positions only. */
function utf16(bytes: Uint8Array): DetectedEncoding | null {
  const length = Math.min(bytes.length & ~1, SAMPLE)
  const zeros = [0, 0]
  for (let at = 0; at < length; at++) if (bytes[at] === 0) zeros[at % 2]!++
  const [even, odd] = zeros as [number, number]
  const isDense = (even + odd) * 50 > length
  if (isDense && odd > even * 20) return "utf-16le"
  return isDense && even > odd * 20 ? "utf-16be" : null
}

/** UTF-8, or Japanese in seven bits: escape sequences switch to two bytes a character (RFC 1468). */
function sevenBit(bytes: Uint8Array): DetectedEncoding {
  const start = bytes.subarray(0, SAMPLE)
  for (let at = start.indexOf(ESCAPE); at >= 0; at = start.indexOf(ESCAPE, at + 1))
    if (bytes[at + 1] === 0x24 && (bytes[at + 2] === 0x40 || bytes[at + 2] === 0x42)) return "iso-2022-jp"
  return "utf-8"
}

function isUtf8(bytes: Uint8Array): boolean {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false })
  const PIECE = 65_536
  try {
    for (let at = 0; at < bytes.length; at += PIECE) decoder.decode(bytes.subarray(at, at + PIECE), { stream: true })
    decoder.decode()
    return true
  } catch {
    return false
  }
}

/**
 * Decides for a text with bytes that are not UTF-8. A text with some such bytes, as when it was cut or joined from
 * several sources, is UTF-8: in other encodings, hardly one of ten such bytes begins a sequence of UTF-8.
 */
function mixed(bytes: Uint8Array): DetectedEncoding | null {
  const utf8 = { sequences: 0, strays: 0 }
  const signs = { likely: 0, unlikely: 0 }
  for (let at = 0; at < bytes.length && signs.likely + signs.unlikely < RUNS; at++) {
    if (bytes[at]! < 0x80) continue
    const end = endOfRun(bytes, at, utf8)
    const sign = signOf(bytes, at, end)
    if (sign > 0) signs.likely++
    else signs.unlikely -= sign
    at = end
  }
  if (utf8.sequences > 0 && utf8.sequences * 2 >= utf8.strays) return "utf-8"
  // A single odd word may be a name or a brand.
  return signs.unlikely > 1 && signs.unlikely * 2 > signs.likely ? null : "windows-1252"
}

/** The end of the bytes beyond ASCII, which are counted as UTF-8. */
function endOfRun(bytes: Uint8Array, start: number, utf8: { sequences: number; strays: number }): number {
  let at = start
  while (at < bytes.length && bytes[at]! >= 0x80) {
    const length = sequenceLength(bytes, at)
    if (length > 1) utf8.sequences++
    // The last bytes may be the begin of a letter.
    else if (bytes.length - at > 3) utf8.strays++
    at += length
  }
  return at
}

/** Bytes of the UTF-8 sequence at an index (RFC 3629 §4), or 1 for a byte that begins none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!
  const length =
    lead >= 0xf0 && lead <= 0xf4 ? 4 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xc2 && lead < 0xe0 ? 2 : 1
  for (let next = 1; next < length; next++) if (((bytes[at + next] ?? 0) & 0xc0) !== 0x80) return 1
  return length
}

/** Windows-1252: letters, typographic marks that may stand next to any letter, and codes without a character. */
const isLetter = (byte: number) =>
  (byte >= 0xc0 && byte !== 0xd7 && byte !== 0xf7) || /[\x8a\x8c\x8e\x9a\x9c\x9e]/.test(latin(byte))
const isMark = (byte: number) =>
  /[\x85\x82\x84\x8b\x91-\x97\x9b\xa0\xa7\xaa\xab\xad\xae\xb0\xb2\xb4\xb7\xba\xbb]/.test(latin(byte))
const isUnassigned = (byte: number) => /[\x81\x8d\x8f\x90\x9d]/.test(latin(byte))
const isAsciiLetter = (byte: number | undefined) => byte !== undefined && /[A-Za-z]/.test(latin(byte))
const isLowerCase = (byte: number | undefined) => byte !== undefined && /[a-z]/.test(latin(byte))
const isUpperCase = (byte: number) => (byte >= 0xc0 && byte <= 0xde) || /[\x8a\x8c\x8e]/.test(latin(byte))
const latin = (byte: number) => String.fromCharCode(byte)

/**
 * Judges a run of bytes beyond ASCII as Windows-1252: 1 for an accented letter in a word, 0 for what says nothing, -1 for
 * three letters in a row, a symbol inside a word, or a capital behind a small letter, and -2 for four letters in a row
 * or a code without a character.
 */
function signOf(bytes: Uint8Array, start: number, end: number): -2 | -1 | 0 | 1 {
  const run = [...bytes.subarray(start, Math.min(end, start + 100))].filter((byte) => !isMark(byte))
  const [before, after] = [bytes[start - 1], bytes[end]]
  if (run.length > 3 || run.some(isUnassigned)) return -2
  if (run.length === 3 || bytes[start] === 0x9f) return -1
  const symbols = run.filter((byte) => !isLetter(byte)).length
  const isInside = isAsciiLetter(before) && isAsciiLetter(after)
  if (symbols > 1 || (symbols === 1 && (isInside || run.length > 1))) return -1
  if (symbols === 1 || run.length === 0) return 0
  if (isUpperCase(run[0]!) && isAsciiLetter(before) && (isLowerCase(before) || isLowerCase(after))) return -1
  return isAsciiLetter(before) || isAsciiLetter(after) ? 1 : 0
}

interface Format {
  /** With its article, as in "this is a vCard file". */
  readonly name: string
  readonly sign: RegExp
}

const FORMATS: readonly Format[] = [
  { name: "a PDF document", sign: /^%PDF-/ },
  { name: "an RTF document", sign: /^\{\\rtf/ },
  {
    name: "a web page (HTML), as some programs write .xls files",
    sign: /^(?:<!--[^>]*-->\s*)?<(?:!doctype\s+html|html|head|body|table|meta|style)\b/i,
  },
  { name: "an XML document, as some programs write .xls files", sign: /^<(?:\?xml|\?mso|[a-z][\w.:-]*[\s>])/i },
  { name: "a vCard file (.vcf)", sign: /^BEGIN:VCARD\b/i },
  { name: "a calendar (.ics)", sign: /^BEGIN:VCALENDAR\b/i },
  { name: "an LDIF file", sign: /^dn::?\s/i },
  { name: "JSON", sign: /^[[{]\s*(?:["[{\]}]|-?\d)/ },
  { name: "YAML", sign: /^(?:---\s|[\w-]+:\r?\n *- )/ },
  { name: "a SYLK file", sign: /^ID;P/ },
  {
    name: "a mail or a mailbox",
    sign: /^(?:From [^\s@]+@[^\s@]+ [A-Z][a-z]{2} |(?:From|To|Cc|Date|Subject|Return-Path|Received|Delivered-To|MIME-Version|Message-ID|X-[\w-]+): [^\n]*\n(?:[\w-]+:|[ \t]))/i,
  },
  {
    name: "a script of SQL statements",
    sign: /^(?:INSERT\s+INTO|CREATE\s+TABLE|DROP\s+TABLE|BEGIN\s+TRANSACTION|SET\s+\w+\s*=|COPY\s[\w."]+|\/\*!\d)/i,
  },
  { name: "an archive or a compressed file", sign: /^(?:\u001f\ufffd|\u001f‹|Rar!|7z\u00bc|BZh\d)/ },
]
/** Characters to inspect. */
const INSPECTED = 4_096
/** Control characters that no text has, beside the odd one. */
const CONTROL = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\u007f]/g

/**
 * Names the format of a text that is no table and no list, as the subject of an error. Such a file would otherwise give
 * a job of malformed addresses. Null for a table.
 */
export function foreignFormat(text: string): string | null {
  const start = withoutComments(text.slice(0, INSPECTED)).trimStart()
  const format = FORMATS.find(({ sign }) => sign.test(start))
  if (format) return format.name
  const controls = start.match(CONTROL)?.length ?? 0
  return controls > 8 && controls * 20 > start.length ? "no text and no Excel workbook (.xlsx)" : null
}

/** The text without the comments of SQL and LDIF, and the version of LDIF, at its begin. */
function withoutComments(text: string): string {
  const lines = text.split("\n")
  const first = lines.findIndex((line) => !/^(?:--|#|version:\s*\d|\s*$)/.test(line))
  return lines.slice(Math.max(0, first)).join("\n")
}

/** Records of a sample. */
const RECORDS = 100
/** Characters of a sample, so that a few long records do not block the thread. */
const CHARACTERS = 65_536

/** Takes the first records of a table, enough to find the email column, limited by number and by length. */
export async function takeSample<T extends readonly string[]>(records: AsyncIterator<T> | Iterator<T>): Promise<T[]> {
  const sample: T[] = []
  let characters = 0
  while (sample.length < RECORDS && characters < CHARACTERS) {
    const next = await records.next()
    if (next.done) break
    sample.push(next.value)
    characters += next.value.reduce((sum, { length }) => sum + length, 0)
  }
  return sample
}

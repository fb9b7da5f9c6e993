import { constants, crc32, deflateRawSync } from "node:zlib"
import { strFromU8, strToU8, Zip, type ZipInputFile, zipSync } from "fflate"

const RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
const { Z_FULL_FLUSH } = constants
const HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
const SHEET = "xl/worksheets/sheet1.xml"
const SHEET_START = `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>`
const SHEET_END = "</sheetData></worksheet>"
const PARTS = {
  "_rels/.rels": strToU8(
    `${HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${RELATIONSHIPS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  ),
  "[Content_Types].xml": strToU8(
    `${HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
  ),
  "xl/workbook.xml": strToU8(
    `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONSHIPS}"><sheets><sheet name="List" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  ),
  "xl/_rels/workbook.xml.rels": strToU8(
    `${HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${RELATIONSHIPS}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
  ),
}

/** The smallest Excel workbook with one sheet. @param rows SpreadsheetML rows @param more further files */
export function workbook(rows: string, more: Readonly<Record<string, Uint8Array>> = {}): Uint8Array<ArrayBuffer> {
  return zipSync(
    { ...PARTS, [SHEET]: strToU8(`${SHEET_START}${rows}${SHEET_END}`), ...more },
    { level: 9 },
  ) as Uint8Array<ArrayBuffer>
}

/**
 * The styles of a `workbook`, which no compression shortens by much: with it, 150 times as many bytes of other parts pass the
 * limit of the ratio.
 */
export function incompressible(bytes: number): Readonly<Record<string, Uint8Array>> {
  let state = 1
  const letter = () => {
    state = (state * 48_271) % 2_147_483_647
    return String.fromCharCode(65 + (state % 26))
  }
  return {
    "xl/styles.xml": strToU8(`<styleSheet><!--${Array.from({ length: bytes }, letter).join("")}--></styleSheet>`),
  }
}

/** The files of a workbook that has all kinds of them, as text. @param rows of its sheet, as SpreadsheetML */
export function workbookParts(rows: string): Readonly<Record<string, string>> {
  const styles = `<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy-mm-dd"/></numFmts><cellXfs count="1"><xf numFmtId="164"/></cellXfs>`
  return {
    ...Object.fromEntries(Object.entries(PARTS).map(([name, bytes]) => [name, strFromU8(bytes)])),
    "xl/sharedStrings.xml": `${HEAD}<sst xmlns="${MAIN}" count="2"><si><t>a@b.test</t></si><si><r><t>b</t></r></si></sst>`,
    "xl/styles.xml": `${HEAD}<styleSheet xmlns="${MAIN}">${styles}</styleSheet>`,
    [SHEET]: `${SHEET_START}${rows}${SHEET_END}`,
  }
}

/** A workbook with several sheets. @param sheets SpreadsheetML rows of each sheet */
export function workbookOf(sheets: readonly string[]): Uint8Array<ArrayBuffer> {
  const each = (text: (number: number) => string) => sheets.map((_, index) => text(index + 1)).join("")
  const list = each((n) => `<sheet name="Sheet ${n}" sheetId="${n}" r:id="rId${n}"/>`)
  const links = each(
    (n) => `<Relationship Id="rId${n}" Type="${RELATIONSHIPS}/worksheet" Target="worksheets/sheet${n}.xml"/>`,
  )
  const book = `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONSHIPS}"><sheets>${list}</sheets></workbook>`
  const relationships = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${links}</Relationships>`
  return workbook("", {
    "xl/workbook.xml": strToU8(`${HEAD}${book}`),
    "xl/_rels/workbook.xml.rels": strToU8(`${HEAD}${relationships}`),
    ...Object.fromEntries(
      sheets.map((rows, index) => [
        `xl/worksheets/sheet${index + 1}.xml`,
        strToU8(`${SHEET_START}${rows}${SHEET_END}`),
      ]),
    ),
  })
}

/** A workbook of a few hundred kB that unpacks to 300 MB without declaring its size. */
export function bombWorkbook(): Uint8Array<ArrayBuffer> {
  const start = Buffer.from(`${SHEET_START}<row r="1"><c r="A1"><v>1</v></c></row>`)
  const blanks = Array<Uint8Array>(300).fill(Buffer.alloc(1_000_000, " "))
  return streamed([
    ...Object.entries(PARTS).map(([name, bytes]) => [name, [bytes]] as const),
    [SHEET, [start, ...blanks, Buffer.from(SHEET_END)]],
  ])
}

/** A workbook with a further file that is already compressed. @param size of the file when unpacked */
export function withPacked(name: string, packed: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = []
  const archive = new Zip((_, part) => void parts.push(part))
  for (const [filename, bytes] of [...Object.entries(PARTS), [SHEET, strToU8(SHEET_START + SHEET_END)] as const]) {
    addPacked(archive, { filename, bytes: deflateRawSync(bytes), size: bytes.length })
  }
  addPacked(archive, { filename: name, bytes: packed, size })
  archive.end()
  return new Uint8Array(Buffer.concat(parts))
}

function addPacked(
  archive: Zip,
  { filename, bytes, size }: { filename: string; bytes: Uint8Array<ArrayBuffer>; size: number },
): void {
  const file: ZipInputFile = { filename, size, crc: 0, compression: 8 }
  archive.add(file)
  file.ondata!(null, bytes, true)
}

/** A streamed archive, whose sizes follow the files. Compresses repeated pieces once. */
function streamed(files: readonly (readonly [name: string, pieces: readonly Uint8Array[]])[]): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = []
  const archive = new Zip((_, part) => void parts.push(part))
  for (const [filename, pieces] of files) {
    const packed = new Map(pieces.map((piece) => [piece, deflateRawSync(piece, { finishFlush: Z_FULL_FLUSH })]))
    const size = pieces.reduce((sum, { length }) => sum + length, 0)
    const file: ZipInputFile = {
      filename,
      size,
      crc: pieces.reduce((crc, piece) => crc32(piece, crc), 0),
      compression: 8,
    }
    archive.add(file)
    file.ondata!(null, Buffer.concat([...pieces.map((piece) => packed.get(piece)!), deflateRawSync("")]), true)
  }
  archive.end()
  return new Uint8Array(Buffer.concat(parts))
}

/** Rows with text cells and number cells. */
export function sheetRows(table: readonly (readonly (string | number)[])[]): string {
  return table
    .map(
      (cells, r) => `<row r="${r + 1}">${cells.map((cell, c) => cellXml(cell, `${letter(c)}${r + 1}`)).join("")}</row>`,
    )
    .join("")
}

function cellXml(cell: string | number, ref: string): string {
  if (typeof cell === "number") return `<c r="${ref}"><v>${cell}</v></c>`
  const text = cell.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
  return `<c r="${ref}" t="inlineStr"><is><t>${text}</t></is></c>`
}

function letter(column: number): string {
  return String.fromCharCode(65 + column)
}

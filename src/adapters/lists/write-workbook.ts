import { Zip, ZipDeflate, ZipPassThrough } from "fflate/browser"
import type { DownloadTable } from "../../domain/lists/download.ts"
import { SHEET_LIMITS, sheetRow } from "../../domain/lists/xlsx.ts"

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
const PACKAGE = "http://schemas.openxmlformats.org/package/2006"
const LINK = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
const MEDIA = "application/vnd.openxmlformats-officedocument.spreadsheetml"

/** The parts before the sheets. Every other part but the workbook is a sheet or a list of links, however many follow. */
const FIRST_PARTS = {
  "[Content_Types].xml": `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="${MEDIA}.worksheet+xml"/><Override PartName="/xl/workbook.xml" ContentType="${MEDIA}.sheet.main+xml"/></Types>`,
  "_rels/.rels": `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${LINK}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
}

/** Characters to compress at once: a few milliseconds of CPU. */
const AT_ONCE = 100_000
/** The lowest level: a list of a million rows takes half of the CPU time of level 6. */
const LEVEL = 1
/** The same rows are the same bytes. ZIP has no dates before 1980. */
const MODIFIED = new Date(1980, 0, 1)

/**
 * Writes an Excel workbook (ECMA-376) as a stream, in constant memory. The rows that do not fit on a sheet continue on
 * the next one, with the column names again.
 * @param rowsPerSheet with the row of column names
 */
export async function* writeWorkbook(
  { columns, pages }: Pick<DownloadTable, "columns" | "pages">,
  rowsPerSheet: number = SHEET_LIMITS.rows,
): AsyncGenerator<Uint8Array> {
  const archive = new Archive()
  for (const [name, xml] of Object.entries(FIRST_PARTS)) archive.addPart(name, xml)
  let [sheets, row, xml] = [0, 0, ""]
  const startSheet = () => {
    archive.startSheet(++sheets)
    row = 1
    xml = `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>${sheetRow(row, columns)}`
  }
  const endSheet = () => archive.endSheet(`${xml}</sheetData></worksheet>`)
  startSheet()
  for await (const rows of pages)
    for (const cells of rows) {
      if (row === rowsPerSheet) {
        endSheet()
        startSheet()
      }
      xml += sheetRow(++row, cells)
      if (xml.length < AT_ONCE) continue
      archive.continueSheet(xml)
      xml = ""
      yield* archive.take()
    }
  endSheet()
  archive.addPart("xl/workbook.xml", workbookXml(sheets))
  archive.addPart("xl/_rels/workbook.xml.rels", linksXml(sheets))
  archive.end()
  yield* archive.take()
}

function workbookXml(sheets: number): string {
  const list = numbered(sheets, (n) => `<sheet name="Results${n === 1 ? "" : ` ${n}`}" sheetId="${n}" r:id="rId${n}"/>`)
  return `<workbook xmlns="${MAIN}" xmlns:r="${LINK}"><sheets>${list}</sheets></workbook>`
}

function linksXml(sheets: number): string {
  const list = numbered(
    sheets,
    (n) => `<Relationship Id="rId${n}" Type="${LINK}/worksheet" Target="worksheets/sheet${n}.xml"/>`,
  )
  return `<Relationships xmlns="${PACKAGE}/relationships">${list}</Relationships>`
}

function numbered(count: number, text: (number: number) => string): string {
  return Array.from({ length: count }, (_, index) => text(index + 1)).join("")
}

/** A ZIP archive with at most one open sheet. Its bytes wait until they are taken. */
class Archive {
  readonly #encoder = new TextEncoder()
  #bytes: Uint8Array[] = []
  readonly #zip = new Zip((error, bytes) => {
    if (error) throw error
    this.#bytes.push(bytes)
  })
  #sheet: ZipDeflate | null = null

  addPart(name: string, xml: string): void {
    this.#add(new ZipPassThrough(name)).push(this.#encoder.encode(HEAD + xml), true)
  }

  startSheet(number: number): void {
    this.#sheet = this.#add(new ZipDeflate(`xl/worksheets/sheet${number}.xml`, { level: LEVEL }))
  }

  continueSheet(xml: string): void {
    this.#sheet?.push(this.#encoder.encode(xml))
  }

  endSheet(xml: string): void {
    this.#sheet?.push(this.#encoder.encode(xml), true)
  }

  end(): void {
    this.#zip.end()
  }

  /** Returns the bytes since the last call. */
  take(): Uint8Array[] {
    const bytes = this.#bytes
    this.#bytes = []
    return bytes
  }

  #add<T extends ZipPassThrough | ZipDeflate>(part: T): T {
    part.mtime = MODIFIED
    this.#zip.add(part)
    return part
  }
}

import { strToU8, zipSync } from "fflate"

const RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
const HEAD = '<?xml version="1.0" encoding="UTF-8"?>'

/** The smallest Excel workbook with one sheet. @param rows its rows as SpreadsheetML @param more further files in it */
export function workbook(rows: string, more: Readonly<Record<string, Uint8Array>> = {}): Uint8Array<ArrayBuffer> {
  const sheet = `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>${rows}</sheetData></worksheet>`
  const files = {
    "[Content_Types].xml": `${HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
    "xl/workbook.xml": `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONSHIPS}"><sheets><sheet name="List" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `${HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${RELATIONSHIPS}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    "xl/worksheets/sheet1.xml": sheet,
  }
  const bytes = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)]))
  return zipSync({ ...bytes, ...more }, { level: 9 }) as Uint8Array<ArrayBuffer>
}

/** Rows of text cells; a number becomes a number. */
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

/** A workbook of some hundred kB that says 300 MB when it is unpacked. */
export function bombWorkbook(): Uint8Array<ArrayBuffer> {
  return workbook(`<row r="1"><c r="A1"><v>1</v></c></row>${" ".repeat(300_000_000)}`)
}

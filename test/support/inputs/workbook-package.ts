import { strToU8, type Zippable, zipSync } from "fflate"
import { sheetRows } from "./workbook.ts"

export interface Sheet {
  readonly name: string
  /** Cells, or the rows as SpreadsheetML. */
  readonly rows: readonly (readonly (string | number)[])[] | string
  readonly state?: "hidden" | "veryHidden" | "visible"
}

/** How a program writes a workbook. By default as Excel does. */
export interface PackageStyle {
  /** Name of the main part. */
  readonly main?: string
  /** Folder and name of each sheet, relative to the folder of the main part. */
  readonly sheetPath?: (number: number) => string
  /** Spelling of the target of a relationship, from its path in the archive. */
  readonly target?: (path: string, folder: string) => string
  /** Spelling of the names of files in the archive. */
  readonly entry?: (path: string) => string
  readonly isStrict?: boolean
  readonly isStored?: boolean
  /** Content type of the main part, without its beginning. */
  readonly mainType?: string
  readonly sharedStrings?: readonly string[]
  /** Further files. They come first when a program writes them first. */
  readonly more?: Readonly<Record<string, Uint8Array>>
  readonly moreFirst?: boolean
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const PACKAGE = "http://schemas.openxmlformats.org/package/2006"
const NAMESPACES = {
  transitional: {
    main: "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    links: "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
  },
  strict: {
    main: "http://purl.oclc.org/ooxml/spreadsheetml/main",
    links: "http://purl.oclc.org/ooxml/officeDocument/relationships",
  },
}
const MAIN_TYPE = "openxmlformats-officedocument.spreadsheetml.sheet.main+xml"

/** Target relative to the folder of its source, as Excel writes it. */
function relative(path: string, folder: string): string {
  return path.startsWith(folder) ? path.slice(folder.length) : `/${path}`
}

/** A complete workbook package (ECMA-376 part 2). */
export function workbookPackage(sheets: readonly Sheet[], style: PackageStyle = {}): Uint8Array<ArrayBuffer> {
  const { main = "xl/workbook.xml", sheetPath = (n) => `worksheets/sheet${n}.xml`, target = relative } = style
  const { entry = (path) => path, mainType = MAIN_TYPE, sharedStrings, more = {} } = style
  const namespaces = NAMESPACES[style.isStrict ? "strict" : "transitional"]
  const folder = main.slice(0, main.lastIndexOf("/") + 1)
  const each = (text: (sheet: Sheet, number: number) => string) =>
    sheets.map((sheet, index) => text(sheet, index + 1)).join("")
  const link = (id: string, kind: string, path: string, from: string) =>
    `<Relationship Id="${id}" Type="${namespaces.links}/${kind}" Target="${target(path, from)}"/>`
  const links = (list: string) => `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${list}</Relationships>`
  const sheetLinks = each((_, n) => link(`rId${n}`, "worksheet", `${folder}${sheetPath(n)}`, folder))
  const stringsLink = sharedStrings ? link("rId900", "sharedStrings", `${folder}sharedStrings.xml`, folder) : ""
  const listed = each(
    ({ name, state }, n) => `<sheet name="${name}" sheetId="${n}"${state ? ` state="${state}"` : ""} r:id="rId${n}"/>`,
  )
  const files: Record<string, string> = {
    "[Content_Types].xml": `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${main}" ContentType="application/vnd.${mainType}"/></Types>`,
    "_rels/.rels": links(link("rId1", "officeDocument", main, "")),
    [main]: `${HEAD}<workbook xmlns="${namespaces.main}" xmlns:r="${namespaces.links}"><sheets>${listed}</sheets></workbook>`,
    [`${folder}_rels/${main.slice(folder.length)}.rels`]: links(sheetLinks + stringsLink),
  }
  for (const [index, { rows }] of sheets.entries())
    files[`${folder}${sheetPath(index + 1)}`] =
      `${HEAD}<worksheet xmlns="${namespaces.main}"><sheetData>${typeof rows === "string" ? rows : sheetRows(rows)}</sheetData></worksheet>`
  if (sharedStrings)
    files[`${folder}sharedStrings.xml`] =
      `${HEAD}<sst xmlns="${namespaces.main}">${sharedStrings.map((text) => `<si><t>${text}</t></si>`).join("")}</sst>`
  const own: Zippable = Object.fromEntries(Object.entries(files).map(([path, xml]) => [entry(path), strToU8(xml)]))
  return zipSync(style.moreFirst ? { ...more, ...own } : { ...own, ...more }, {
    level: style.isStored ? 0 : 6,
  }) as Uint8Array<ArrayBuffer>
}

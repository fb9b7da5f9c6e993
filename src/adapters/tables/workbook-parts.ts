import { isDateFormat } from "../../domain/bulk/date-cell.ts"
import { TABLE_LIMITS } from "../../domain/bulk/table-limits.ts"
import { tooLarge } from "../../errors.ts"
import { unreadable } from "./table-problem.ts"
import { TextRuns } from "./text-runs.ts"
import type { Part, Parts } from "./unpack.ts"
import { type Attributes, attributeNamed, XmlReader } from "./xml-reader.ts"

/** The data that all sheets of a workbook share. */
export interface Workbook {
  /** The sheets with cells, in the workbook's order. */
  readonly sheets: readonly Part[]
  readonly strings: readonly string[]
  /** By style number: whether the style shows numbers as dates. */
  readonly showsDate: readonly boolean[]
  /** Days count from 1904 instead of 1900. */
  readonly is1904: boolean
}

/** Relationship types, in the transitional and the strict form of the format. */
const TYPE =
  /^http:\/\/(?:schemas\.openxmlformats\.org|purl\.oclc\.org\/ooxml)\/officeDocument\/(?:2006\/)?relationships\/(\w+)$/

/** Reads all of a workbook except its sheets. @throws AppError invalid */
export async function readParts(parts: Parts): Promise<Workbook> {
  const main = parts.get("xl/workbook.xml")
  const links = parts.get("xl/_rels/workbook.xml.rels")
  if (!main || !links) throw unreadable("the file is not an Excel workbook (.xlsx)")
  const { sheetPaths, stringsPath, stylesPath } = await readLinks(links)
  const { sheetIds, is1904 } = await readMain(main)
  const paths = new Set(sheetIds.flatMap((id) => sheetPaths.get(id) ?? []))
  const strings = parts.get(stringsPath)
  const styles = parts.get(stylesPath)
  return {
    sheets: [...paths].map((path, index) => parts.get(path) ?? missing(index)),
    strings: strings ? await readStrings(strings) : [],
    showsDate: styles ? await readStyles(styles) : [],
    is1904,
  }
}

function missing(index: number): never {
  throw unreadable(`sheet ${index + 1} of the workbook is missing in the file`)
}

async function readLinks(part: Part) {
  const sheetPaths = new Map<string, string>()
  const others = new Map<string, string>()
  await new XmlReader(part, "the list of relationships", {
    open(name, { Id: id = "", Type: type = "", Target: target = "" }) {
      if (name !== "Relationship") return
      const path = target.startsWith("/") ? target.slice(1) : `xl/${target}`
      const kind = TYPE.exec(type)?.[1] ?? ""
      if (kind === "worksheet") sheetPaths.set(id, path)
      else others.set(kind, path)
    },
    close() {},
    text() {},
  }).readAll()
  return {
    sheetPaths,
    stringsPath: others.get("sharedStrings") ?? "xl/sharedStrings.xml",
    stylesPath: others.get("styles") ?? "xl/styles.xml",
  }
}

async function readMain(part: Part) {
  const sheetIds: string[] = []
  let is1904: boolean | null = null
  await new XmlReader(part, "the list of sheets", {
    open(name, attributes) {
      if (name === "workbookPr") is1904 ??= ["1", "true"].includes(attributes.date1904 ?? "")
      else if (name === "sheet") sheetIds.push(attributeNamed(attributes, "id") ?? "")
    },
    close() {},
    text() {},
  }).readAll()
  return { sheetIds, is1904: is1904 ?? false }
}

async function readStrings(part: Part): Promise<string[]> {
  const strings: string[] = []
  const runs = new TextRuns()
  await new XmlReader(part, "the list of shared strings", {
    open(name) {
      runs.open(name)
    },
    close(name) {
      runs.close(name)
      if (name !== "si") return
      if (strings.length >= TABLE_LIMITS.strings)
        throw tooLarge(`a workbook may have at most ${TABLE_LIMITS.strings} shared strings`)
      strings.push(runs.take())
    },
    text(text) {
      runs.add(text)
    },
  }).readAll()
  return strings
}

async function readStyles(part: Part): Promise<boolean[]> {
  const formats = new Map<number, string>()
  const base: (number | null)[] = []
  const showsDate: boolean[] = []
  let list = ""
  const formatOf = ({ numFmtId }: Attributes) => (numFmtId === undefined ? null : Number(numFmtId))
  await new XmlReader(part, "the list of styles", {
    open(name, attributes) {
      if (name === "cellStyleXfs" || name === "cellXfs") list = name
      else if (name === "numFmt") formats.set(formatOf(attributes) ?? 0, attributes.formatCode ?? "")
      else if (name === "xf" && list === "cellStyleXfs") base.push(formatOf(attributes))
      else if (name === "xf" && list === "cellXfs") {
        const id = formatOf(attributes) ?? base[Number(attributes.xfId)] ?? 0
        showsDate.push(isDateFormat(id, formats.get(id)))
      }
    },
    close(name) {
      if (name === list) list = ""
    },
    text() {},
  }).readAll()
  return showsDate
}

import { columnNamed } from "../../domain/lists/column-names.ts"
import { TABLE_LIMITS } from "../../domain/lists/uploaded-file.ts"
import {
  isDateFormat,
  PACKAGE,
  partName,
  relationshipKind,
  relationshipsPart,
  unknownSheet,
} from "../../domain/lists/xlsx.ts"
import { AppError, invalidField, tooLarge } from "../../errors.ts"
import { archiveProblem } from "./office-formats.ts"
import { unreadable } from "./read-limits.ts"
import type { Archive, Part } from "./unpack.ts"
import { type Attributes, attributeNamed, TextRuns, XmlReader } from "./workbook-xml.ts"

/** A sheet with cells. */
export interface ListedSheet {
  /** Cut to a length that Excel does not reach. */
  readonly name: string
  /** From 1, in the workbook's order. Hidden sheets count, charts do not. */
  readonly number: number
  readonly isHidden: boolean
  /** Null when the file does not have it. */
  readonly part: Part | null
}

/** The data that all sheets of a workbook share, and its sheets. */
export interface Workbook {
  readonly sheets: readonly ListedSheet[]
  /** The sheet that the caller names. */
  readonly named: ListedSheet | null
  readonly strings: readonly string[]
  /** By style number: whether the style shows numbers as dates. */
  readonly showsDate: readonly boolean[]
  /** Days count from 1904 instead of 1900. */
  readonly is1904: boolean
}

/** Excel takes 31. */
const LONGEST_NAME = 100

/**
 * Reads all of a workbook except its sheets, and unpacks these. Parts that nothing needs are not unpacked.
 * @param wanted name or number of a sheet. Beyond the number of sheets that are compared, only this one is unpacked
 * @throws AppError invalid, payload_too_large, rate_limited
 */
export async function readWorkbook(archive: Archive, wanted: string | null): Promise<Workbook> {
  const main = await findMain(archive)
  const links = await readRelationships(archive, main)
  const { entries, is1904 } = await readMain(archive, main)
  const all = linkedSheets(entries, links)
  const named = wanted === null ? null : sheetNamed(wanted, all)
  if (named === null && all.length > TABLE_LIMITS.sheets)
    throw new AppError(
      "list_too_large",
      `the workbook has more than ${TABLE_LIMITS.sheets} sheets; name one of them with sheet`,
    )
  const read = named !== null && all.length > TABLE_LIMITS.sheets ? [named] : all
  const targetOf = (kind: string) => links.find((link) => link.kind === kind)?.target ?? partName(`${kind}.xml`, main)
  const [stringsName, stylesName] = [targetOf("sharedStrings"), targetOf("styles")]
  const parts = await archive.unpack([stringsName, stylesName, ...read.map(({ target }) => target)])
  const [strings, styles] = [parts.get(stringsName), parts.get(stylesName)]
  const sheets = read.map(({ target, ...sheet }) => ({ ...sheet, part: parts.get(target) ?? null }))
  return {
    sheets,
    named: sheets.find(({ number }) => number === named?.number) ?? null,
    strings: strings ? await readStrings(strings) : [],
    showsDate: styles ? await readStyles(styles) : [],
    is1904,
  }
}

type LinkedSheet = Omit<ListedSheet, "part"> & { readonly target: string }

/** The sheets with cells. Charts and entries without a link are none. Several may lead to one part, which is read once. */
function linkedSheets(entries: readonly Attributes[], links: readonly Relationship[]): LinkedSheet[] {
  const byId = new Map(links.map((link) => [link.id, link]))
  const sheets = new Map<string, LinkedSheet>()
  for (const attributes of entries) {
    const { kind, target } = byId.get(attributeNamed(attributes, "id") ?? "") ?? { kind: "", target: "" }
    if (kind !== "worksheet" || sheets.has(target)) continue
    const number = sheets.size + 1
    const name = (attributes.name ?? "").trim().slice(0, LONGEST_NAME) || `Sheet ${number}`
    sheets.set(target, { name, number, isHidden: /hidden/i.test(attributes.state ?? ""), target })
  }
  if (sheets.size === 0) throw unreadable("the workbook has no sheet with cells")
  return [...sheets.values()]
}

function sheetNamed(wanted: string, sheets: readonly LinkedSheet[]): LinkedSheet {
  const names = sheets.map(({ name }) => name)
  const sheet = sheets[columnNamed(wanted, names) ?? -1]
  if (!sheet) throw invalidField(["sheet"], unknownSheet(wanted, names))
  return sheet
}

async function readMain(archive: Archive, main: string) {
  const entries: Attributes[] = []
  let is1904: boolean | null = null
  let root: string | null = null
  await new XmlReader((await archive.unpack([main])).get(main) ?? [], "the list of sheets", {
    open(name, attributes) {
      root ??= name
      if (name === "workbookPr") is1904 ??= ["1", "true"].includes(attributes.date1904 ?? "")
      else if (name === "sheet") entries.push(attributes)
      // Each of them is a file of the archive.
      if (entries.length > TABLE_LIMITS.entries)
        throw tooLarge(`a workbook may have at most ${TABLE_LIMITS.entries} sheets`)
    },
  }).readAll()
  if (root !== "workbook") throw archiveProblem(archive, main)
  return { entries, is1904: is1904 ?? false }
}

async function readStrings(part: Part): Promise<string[]> {
  const strings: string[] = []
  const runs = new TextRuns()
  await new XmlReader(part, "the list of shared strings", {
    open: (name) => runs.open(name),
    close(name) {
      runs.close(name)
      if (name !== "si") return
      if (strings.length >= TABLE_LIMITS.strings)
        throw tooLarge(`a workbook may have at most ${TABLE_LIMITS.strings} shared strings`)
      strings.push(runs.take())
    },
    text: (text) => runs.add(text),
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
  }).readAll()
  return showsDate
}

/** A link from one part of a package to another. */
interface Relationship {
  readonly id: string
  /** The last word of its type, such as "worksheet". */
  readonly kind: string
  /** The name of the part that it leads to. */
  readonly target: string
}

/** The main part where a package does not name it. */
const USUAL_MAIN = "/xl/workbook.xml"

/** Finds the main part by the relationships of the package. @throws AppError invalid, with the file's format */
async function findMain(archive: Archive): Promise<string> {
  const links = await readRelationships(archive, PACKAGE)
  const linked = links.find(({ kind }) => kind === "officeDocument")?.target
  const main = [linked, USUAL_MAIN].find((name) => name !== undefined && archive.has(name))
  if (main === undefined || main.endsWith(".bin")) throw archiveProblem(archive, main ?? null)
  return main
}

/**
 * Reads the relationships of a part. A part without a list of them has none.
 * @param source the name of a part, or the package
 * @throws AppError invalid
 */
async function readRelationships(archive: Archive, source: string): Promise<Relationship[]> {
  const list = relationshipsPart(source)
  const part = (await archive.unpack([list])).get(list)
  const found: Relationship[] = []
  if (!part) return found
  await new XmlReader(part, "the list of relationships", {
    open(name, { Id: id = "", Type: type = "", Target: target = "", TargetMode: mode }) {
      if (name !== "Relationship" || mode === "External") return
      // Some programs write the target relative to the package.
      const [own, other] = [partName(target, source), partName(target)]
      found.push({ id, kind: relationshipKind(type), target: !archive.has(own) && archive.has(other) ? other : own })
    },
  }).readAll()
  return found
}

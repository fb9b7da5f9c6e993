import fc from "fast-check"
import { strToU8, zipSync } from "fflate"
import { describe, expect, test } from "vitest"
import { partName } from "../../../src/domain/lists/xlsx.ts"
import { recordsOf, refusalOf } from "../../support/inputs/read-table.ts"
import { type PackageStyle, workbookPackage } from "../../support/inputs/workbook-package.ts"

const LIST = [["name", "email"], ...Array.from({ length: 10 }, (_, n) => [`Given${n + 1}`, `user${n + 1}@d0301.test`])]
const SHEETS = [{ name: "List", rows: LIST }]
const blob = (size: number) => Uint8Array.from({ length: size }, (_, n) => (n * 7919) % 251)
const many = (count: number, name: (n: number) => string, bytes = blob(200)) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [name(n), bytes]))

describe("the name of a part", () => {
  test.each([
    ["xl/workbook.xml", "/", "/xl/workbook.xml"],
    ["xl\\worksheets\\Sheet1.xml", "/", "/xl/worksheets/sheet1.xml"],
    ["/xl/workbook.xml", "/xl/workbook.xml", "/xl/workbook.xml"],
    ["\\xl\\a.xml", "/xl/workbook.xml", "/xl/a.xml"],
    ["worksheets/sheet1.xml", "/xl/workbook.xml", "/xl/worksheets/sheet1.xml"],
    ["./worksheets/./sheet1.xml", "/xl/workbook.xml", "/xl/worksheets/sheet1.xml"],
    ["../xl/worksheets/sheet1.xml", "/xl/workbook.xml", "/xl/worksheets/sheet1.xml"],
    ["../../../xl/a.xml", "/xl/workbook.xml", "/xl/a.xml"],
    ["worksheets/my%20sheet.xml", "/xl/workbook.xml", "/xl/worksheets/my sheet.xml"],
    ["worksheets/100%.xml", "/xl/workbook.xml", "/xl/worksheets/100%.xml"],
    ["worksheets/a#b?.xml", "/xl/work#book.xml", "/xl/worksheets/a#b?.xml"],
    ["xl//worksheets//sheet1.xml", "/", "/xl/worksheets/sheet1.xml"],
    ["//xl/a.xml", "/", "/xl/a.xml"],
    ["[Content_Types].xml", "/", "/[content_types].xml"],
    ["Лист 1.xml", "/xl/workbook.xml", "/xl/лист 1.xml"],
  ])("%j from %j is %j", (path, source, name) => {
    expect(partName(path, source)).toBe(name)
    expect(partName(name)).toBe(name)
  })

  test("is found for any text", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => typeof partName(text, "/xl/a.xml") === "string"))
  })
})

describe("the list of a workbook is read, however its program names and packs the parts:", () => {
  const upper = (path: string) => path.replace("workbook", "Workbook").replace("sheet", "SHEET")
  const relative = (path: string, folder: string) => path.slice(folder.length)
  test.each<[string, PackageStyle]>([
    ["another main part", { main: "xl/workbook22.xml" }],
    ["a main part in another folder", { main: "book/data/main.xml" }],
    ["a main part at the top", { main: "workbook.xml" }],
    ["the names of the archive with backslashes", { entry: (path) => path.replaceAll("/", "\\") }],
    ["the names of the archive with a slash first", { entry: (path) => `/${path}` }],
    ["the names of the archive in another case", { entry: upper }],
    ["targets in another case", { target: (path, folder) => upper(relative(path, folder)) }],
    ["targets with backslashes", { target: (path, folder) => relative(path, folder).replaceAll("/", "\\") }],
    ["targets from the top", { target: (path) => `/${path}` }],
    ["targets from the top without a slash", { target: (path) => path }],
    ["targets with a dot", { target: (path, folder) => `./${relative(path, folder)}` }],
    ["targets with two dots", { target: (path, folder) => (folder === "" ? path : `../${path}`) }],
    ["escaped spaces", { sheetPath: (n) => `my sheets/s ${n}.xml`, target: (path) => `/${encodeURI(path)}` }],
    [
      "escaped spaces in the archive, too",
      { sheetPath: (n) => `my%20sheets/s%20${n}.xml`, target: (path) => `/${path}` },
    ],
    ["the strict form", { isStrict: true }],
    ["macros", { mainType: "ms-excel.sheet.macroEnabled.main+xml", more: { "xl/vbaProject.bin": blob(5_000) } }],
    ["a template", { mainType: "openxmlformats-officedocument.spreadsheetml.template.main+xml" }],
    ["no compression", { isStored: true }],
    ["250 pictures", { more: many(250, (n) => `xl/media/image${n}.png`), moreFirst: true }],
    ["250 lists of links", { more: many(250, (n) => `xl/worksheets/_rels/sheet${n}.xml.rels`) }],
    ["250 drawings that are not well-formed", { more: many(250, (n) => `xl/drawings/drawing${n}.xml`) }],
    ["2,000 pictures", { more: many(2_000, (n) => `xl/media/image${n}.png`, blob(2)) }],
    ["a large part that nothing needs", { more: { "xl/drawings/d.xml": new Uint8Array(50_000_000) }, moreFirst: true }],
    ["comments twice", { more: { "xl/comments1.xml": blob(9), "xl/Comments1.xml": blob(9) } }],
  ])("%s", async (_, style) => {
    expect(await recordsOf(workbookPackage(SHEETS, style))).toEqual(LIST)
  })

  test("shared strings in another case", async () => {
    const rows = LIST.map((_, r) => `<row><c t="s"><v>${r * 2}</v></c><c t="s"><v>${r * 2 + 1}</v></c></row>`).join("")
    const style = { sharedStrings: LIST.flat(), entry: (path: string) => path.replace("sharedS", "SharedS") }
    expect(await recordsOf(workbookPackage([{ name: "a", rows }], style))).toEqual(LIST)
  })

  test("any mixture of spellings", async () => {
    const spellings: ((path: string, folder: string) => string)[] = [
      relative,
      (path) => `/${path}`,
      (path, folder) => `./${relative(path, folder)}`,
      (path, folder) => `.\\${relative(path, folder).replaceAll("/", "\\")}`,
      (path) => `/${path.toUpperCase()}`,
      (path) => `/x/../${encodeURI(path)}`,
    ]
    const entries: ((path: string) => string)[] = [
      (path) => path,
      (path) => path.toUpperCase(),
      (path) => path.replaceAll("/", "\\"),
      (path) => `./${path}`,
    ]
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          target: fc.constantFrom(...spellings),
          entry: fc.constantFrom(...entries),
          main: fc.constantFrom("xl/workbook.xml", "xl/workbook22.xml", "Data/Book 1.xml"),
          isStrict: fc.boolean(),
          isStored: fc.boolean(),
          moreFirst: fc.boolean(),
        }),
        async (style) => {
          const more = many(3, (n) => `docProps/extra${n}.xml`)
          expect(await recordsOf(workbookPackage(SHEETS, { ...style, more }))).toEqual(LIST)
        },
      ),
      { numRuns: 60 },
    )
  })

  test("no relationships of the package", async () => {
    const bytes = workbookPackage(SHEETS, { entry: (path) => path.replace("_rels/.rels", "x/.rels") })
    expect(await recordsOf(bytes)).toEqual(LIST)
  })
})

describe("a file of another format is refused with its name and what to do:", () => {
  const zip = (names: readonly string[]) => zipSync(Object.fromEntries(names.map((name) => [name, strToU8("x")])))
  /** A compound file (MS-CFB) with these streams in its directory. */
  function compoundFile(streams: readonly string[], directoryAt = 1_024): Uint8Array {
    const bytes = new Uint8Array(directoryAt + 128 * (streams.length + 1) + 512)
    bytes.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])
    for (const [index, name] of ["Root Entry", ...streams].entries()) {
      const entry = Buffer.from(bytes.buffer, directoryAt + index * 128, 128)
      entry.write(name, "utf16le")
      entry.writeUInt16LE((name.length + 1) * 2, 64)
    }
    return bytes
  }
  const encrypted = ["\u0006DataSpaces", "EncryptionInfo", "EncryptedPackage"]
  test.each([
    ["a workbook with a password", compoundFile(encrypted), "this workbook is protected by a password; remove"],
    ["one whose directory is far", compoundFile(encrypted, 512 * 400), "this workbook is protected by a password"],
    ["an Excel 97 file", compoundFile(["Workbook"]), "this is an Excel 97 file (.xls); save it as .xlsx or CSV"],
    ["an Excel 95 file", compoundFile(["Book"]), "this is an Excel 97 file (.xls)"],
    ["a compound file that is cut", compoundFile([]).slice(0, 9), "this is an Excel 97 file (.xls)"],
    ["a Word 97 document", compoundFile(["WordDocument"]), "this is a Word 97 document (.doc)"],
    ["an .xlsb", workbookPackage(SHEETS, { main: "xl/workbook.bin" }), "this is a binary Excel workbook (.xlsb); save"],
    ["an .xlsb by another name", workbookPackage(SHEETS, { main: "a/b.bin" }), "(.xlsb); save it as .xlsx or CSV"],
    ["an .ods", zip(["mimetype", "content.xml", "META-INF/manifest.xml"]), "this is an OpenDocument file (.ods); save"],
    ["a .numbers", zip(["Index/Document.iwa"]), "this is an Apple Numbers file (.numbers); export it"],
    ["a .docx", zip(["word/document.xml"]), "this is a Word document (.docx)"],
    ["another archive", zip(["list.csv"]), "this ZIP archive is not an Excel workbook (.xlsx)"],
  ])("%s", async (_, bytes, message) => {
    expect(await refusalOf(bytes)).toEqual({ code: "invalid_request", message: expect.stringContaining(message) })
  })

  test("a part that is read is in the file twice", async () => {
    const bytes = workbookPackage(SHEETS, { more: { "XL/worksheets/sheet1.xml": blob(9) } })
    expect(await refusalOf(bytes)).toEqual({
      code: "invalid_request",
      message: "the workbook holds the same part twice",
    })
  })
})

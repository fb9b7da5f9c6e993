import { incompressible, workbook } from "./workbook.ts"

export interface HostileWorkbook {
  readonly name: string
  readonly bytes: () => Uint8Array<ArrayBuffer>
  /** A part of the refusal's text. */
  readonly refusal: string
}

const cells = (count: number, cell: (index: number) => string) =>
  Array.from({ length: count }, (_, n) => cell(n)).join("")

/** Letters of 5 bits each: the files stay below the limit of the compression ratio. */
const PADDING = incompressible(150_000)

/** Valid archives with a sheet that took the former XML parser more than a minute, depending on how it cut the text. */
export const HOSTILE_WORKBOOKS: readonly HostileWorkbook[] = [
  {
    name: "3,000,000 <",
    bytes: () => workbook("<".repeat(3_000_000), PADDING),
    refusal: "sheet 1 of the workbook is not well-formed XML at line 1, column 128: disallowed character in tag name",
  },
  {
    name: "300,000 attributes in one cell",
    bytes: () => workbook(`<row r="1"><c r="A1"${cells(300_000, (n) => ` a${n}="1"`)}><v>1</v></c></row>`, PADDING),
    refusal: "sheet 1 of the workbook has a tag, text or comment of more than 262144 characters",
  },
  {
    name: "1,000,000 unfinished rows",
    bytes: () => workbook("<row ".repeat(1_000_000), PADDING),
    refusal:
      "sheet 1 of the workbook is not well-formed XML at line 1, column 132: disallowed character in attribute name",
  },
  {
    name: "2,000,000 unfinished rows",
    bytes: () => workbook("<row ".repeat(2_000_000), PADDING),
    refusal:
      "sheet 1 of the workbook is not well-formed XML at line 1, column 132: disallowed character in attribute name",
  },
]

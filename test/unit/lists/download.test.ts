import { unzipSync } from "fflate"
import { describe, expect, test } from "vitest"
import { writeWorkbook } from "../../../src/adapters/lists/write-workbook.ts"
import { type Cell, passes, RESULT_COLUMNS, RESULT_FILTERS, TEXT_WRITERS } from "../../../src/domain/lists/download.ts"
import { cellReference, columnLetters } from "../../../src/domain/lists/xlsx.ts"
import { presentChecks } from "../../../src/domain/verification/checks.ts"
import { NOW, verificationOf } from "../../support/deps/evidence.ts"
import { recordsOf } from "../../support/inputs/read-table.ts"

type Rows = readonly (readonly Cell[])[]

const tableOf = (columns: readonly string[], pages: readonly Rows[]) => ({
  columns,
  pages: (async function* () {
    yield* pages
  })(),
  delimiter: "," as const,
  hasBom: false,
})
async function all<T>(pieces: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const piece of pieces) found.push(piece)
  return found
}
const textOf = async (pieces: AsyncIterable<string>) => (await all(pieces)).join("")
const bytesOf = async (pieces: AsyncIterable<Uint8Array>) => new Uint8Array(Buffer.concat(await all(pieces)))
const COLUMNS = ["name", "2", "score", "can_send"]
const ROWS: Rows = [
  ['=1+1 "x"', "a;b\tc|d,e", 90, true],
  ["Zoë", " ", null, false],
]

test("the result columns of a row, in their order", () => {
  const verification = { ...verificationOf("sales@mailbox.test"), isSuppressed: true }
  const shown = { checks: presentChecks(verification), verification, error: "timeout" }
  expect(RESULT_COLUMNS.map(({ name, value }) => [name, value(shown)])).toEqual([
    ["status", "unknown"],
    ["sub_status", verification.verdict.subStatus],
    ["score", verification.score.total],
    ["grade", verification.score.grade],
    ["can_send", false],
    ["deliverable", false],
    ["is_catch_all", false],
    ["is_disposable", false],
    ["is_role_account", true],
    ["is_free_provider", false],
    ["is_suppressed", true],
    ["provider", "none"],
    ["verified_at", new Date(NOW + 60_000).toISOString()],
    ["error", "timeout"],
    ["did_you_mean", null],
    ["repaired", ""],
  ])
})

describe("a filter", () => {
  const found = { status: "valid", canSend: true, isDisposable: false, isRole: false, isFree: false } as const
  test.each([
    ["a mailbox without a known risk", found, ["can_send", "valid"]],
    ["a role account", { ...found, isRole: true }, ["can_send", "valid", "risky", "role"]],
    ["a free mailbox", { ...found, isFree: true }, ["can_send", "valid", "free"]],
    ["a disposable mailbox", { ...found, canSend: false, isDisposable: true }, ["valid", "risky", "disposable"]],
    ["a suppressed mailbox", { ...found, canSend: false }, ["valid", "risky"]],
    ["a catch-all domain", { ...found, status: "accept_all" }, ["can_send", "risky", "accept_all"]],
    ["an unknown mailbox", { ...found, status: "unknown", canSend: false }, ["unknown"]],
    ["a confirmed unknown mailbox", { ...found, status: "unknown", isRole: true }, ["can_send", "unknown", "role"]],
    ["a missing mailbox", { ...found, status: "invalid", canSend: false, isRole: true }, ["invalid", "role"]],
    ["a malformed address", { ...found, status: "invalid_syntax", canSend: false }, ["invalid"]],
  ] as const)("chooses %s", (_, { status, canSend, ...lists }, chosen) => {
    const verdict = {
      status,
      subStatus: null,
      smtpStatus: "accepted",
      isCatchAll: null,
      finding: null,
      reply: null,
    } as const
    const passed = RESULT_FILTERS.filter((filter) => passes(filter, { verdict, canSend, evidence: { lists } }))
    expect(passed).toEqual(["all", ...chosen])
  })
})

describe("a table as text", () => {
  test.each([
    [",", false, `name,2,score,can_send\r\n"'=1+1 ""x""","a;b\tc|d,e",90,true\r\nZoë," ",,false\r\n`],
    [";", true, `\ufeffname;2;score;can_send\r\n"'=1+1 ""x""";"a;b\tc|d,e";90;true\r\nZoë;" ";;false\r\n`],
    ["\t", false, `name\t2\tscore\tcan_send\r\n"'=1+1 ""x"""\t"a;b\tc|d,e"\t90\ttrue\r\nZoë\t" "\t\tfalse\r\n`],
    ["|", true, `\ufeffname|2|score|can_send\r\n"'=1+1 ""x"""|"a;b\tc|d,e"|90|true\r\nZoë|" "||false\r\n`],
  ] as const)("with the delimiter %j, and a byte order mark: %s", async (delimiter, hasBom, expected) => {
    expect(await textOf(TEXT_WRITERS.csv({ ...tableOf(COLUMNS, [ROWS]), delimiter, hasBom }))).toBe(expected)
  })

  test("as JSON, with values of their type, in the order of the columns", async () => {
    const objects = [
      { name: '=1+1 "x"', 2: "a;b\tc|d,e", score: 90, can_send: true },
      { name: "Zoë", 2: " ", score: null, can_send: false },
    ]
    const json = await textOf(TEXT_WRITERS.json(tableOf(COLUMNS, [ROWS, ROWS])))
    expect(JSON.parse(json)).toEqual([...objects, ...objects])
    expect(json.startsWith('[{"name":')).toBe(true)
    const lines = await textOf(TEXT_WRITERS.ndjson(tableOf(COLUMNS, [ROWS, ROWS])))
    expect(
      lines
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    ).toEqual([...objects, ...objects])
    expect(lines.endsWith("}\n")).toBe(true)
  })

  test("without rows", async () => {
    expect(await textOf(TEXT_WRITERS.csv(tableOf(COLUMNS, [])))).toBe("name,2,score,can_send\r\n")
    expect(await textOf(TEXT_WRITERS.json(tableOf(COLUMNS, [])))).toBe("[]")
    expect(await textOf(TEXT_WRITERS.ndjson(tableOf(COLUMNS, [])))).toBe("")
  })

  test("with a column that JavaScript reserves", async () => {
    const json = await textOf(TEXT_WRITERS.json(tableOf(["__proto__"], [[["x"]]])))
    expect(json).toBe('[{"__proto__":"x"}]')
  })
})

describe("a workbook", () => {
  const read = async (bytes: Uint8Array) => recordsOf(bytes)
  const sheetOf = (bytes: Uint8Array, number = 1) =>
    Buffer.from(unzipSync(bytes)[`xl/worksheets/sheet${number}.xml`]!).toString()

  test("is read back, and its cells have types", async () => {
    const bytes = await bytesOf(writeWorkbook(tableOf(COLUMNS, [ROWS])))
    expect(await read(bytes)).toEqual([COLUMNS, ['=1+1 "x"', "a;b\tc|d,e", "90", "true"], ["Zoë", "", "", "false"]])
    const sheet = sheetOf(bytes)
    expect(sheet).toContain('<c r="A2" t="inlineStr"><is><t>=1+1 "x"</t></is></c>')
    expect(sheet).toContain('<c r="C2"><v>90</v></c><c r="D2" t="b"><v>1</v></c>')
    expect(sheet).toContain('<c r="B3" t="inlineStr"><is><t xml:space="preserve"> </t></is></c><c r="D3"')
    expect(sheet).not.toContain("<f>")
  })

  test.each([
    ["markup", '<a href="x">&amp;', '<a href="x">&amp;'],
    ["text that looks escaped", "_x0041_", "_x0041_"],
    ["characters that XML cannot hold", "a\u0000b\u001bc\uffff", "a\u0000b\u001bc\uffff"],
    ["half of a character", "a\ud83d", "a\ufffd"],
    ["line ends", "a\r\nb\rc\nd", "a\nb\nc\nd"],
    ["more characters than Excel opens", "x".repeat(40_000), "x".repeat(32_767)],
    ["a character at the limit", `${"x".repeat(32_766)}😀`, `${"x".repeat(32_766)}\ufffd`],
  ])("holds %s", async (_, given, expected) => {
    const bytes = await bytesOf(writeWorkbook(tableOf(["a"], [[[given]]])))
    expect(await read(bytes)).toEqual([["a"], [expected]])
  })

  test("continues on a further sheet, with the names of the columns", async () => {
    const pages = Array.from({ length: 5 }, (_, n): Rows => [[n]])
    const bytes = await bytesOf(writeWorkbook(tableOf(["n"], pages), 3))
    expect(Object.keys(unzipSync(bytes)).filter((name) => name.includes("sheets/"))).toHaveLength(3)
    expect([1, 2, 3].map((number) => [...sheetOf(bytes, number).matchAll(/<v>(\d)/g)].map(([, n]) => n))).toEqual([
      ["0", "1"],
      ["2", "3"],
      ["4"],
    ])
    expect(sheetOf(bytes, 3)).toContain("<t>n</t>")
    const list = Buffer.from(unzipSync(bytes)["xl/workbook.xml"]!).toString()
    expect([...list.matchAll(/name="([^"]+)"/g)].map(([, name]) => name)).toEqual(["Results", "Results 2", "Results 3"])
  })

  test("is written while its rows are read, and is the same for the same rows", async () => {
    let pagesRead = 0
    const rows: Rows = Array.from({ length: 500 }, (_, n) => [`${n} ${"y".repeat(1_000)}`])
    const long = () => ({
      columns: ["a"],
      pages: (async function* () {
        for (pagesRead = 0; pagesRead < 40; pagesRead++) yield rows
      })(),
    })
    const pieces = writeWorkbook(long())
    await pieces.next()
    expect(pagesRead).toBeLessThan(5)
    await pieces.return(undefined)
    expect(await bytesOf(writeWorkbook(long()))).toEqual(await bytesOf(writeWorkbook(long())))
  })

  test.each([1, 26, 27, 52, 702, 703, 16_384])("column %i has letters that are read back", (column) => {
    expect(cellReference(`${columnLetters(column)}1`)).toEqual({ row: 1, column })
  })
})

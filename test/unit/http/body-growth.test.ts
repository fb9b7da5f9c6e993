import fc from "fast-check"
import { describe, test } from "vitest"
import { findColumns } from "../../../src/domain/lists/find-columns.ts"
import { ListReader } from "../../../src/domain/lists/read-list.ts"
import { boundaryOf, formProblem } from "../../../src/http/upload-body.ts"
import { importSuppressions } from "../../../src/services/suppression/import-suppressions.ts"
import { reading, testContext } from "../../support/deps/context.ts"
import { open } from "../../support/inputs/read-table.ts"
import { repeated, repetitionsOf } from "../../support/inputs/repetition.ts"
import { tableFile } from "../../support/inputs/table-file.ts"
import { sheetRows, workbook, workbookParts } from "../../support/inputs/workbook.ts"

/** FUZZ_RUNS=2000 FUZZ_SEED=$RANDOM runs more and other cases. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 10)
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_122)

/**
 * Repeated characters, and how often a body with them is read. Quadratic work takes minutes, and the test's timeout ends
 * it. A part of a workbook may have 262,144 characters in one tag.
 */
const SIZES: readonly (readonly [size: number, times: number])[] = [
  [250_000, 4],
  [2_000_000, 1],
]

const bytesOf = (text: string) => new TextEncoder().encode(text)
const refused = (error: unknown) => {
  if (!(error instanceof Error) || error.name !== "AppError") throw error
}

interface Subject<T> {
  readonly texts: readonly string[]
  readonly units: readonly string[]
  readonly prepare: (text: string) => T
  readonly read: (prepared: T) => unknown
}

/** Linear work takes a hundredth of the test's timeout. */
function expectLinear<T>({ texts, units, prepare, read }: Subject<T>): Promise<void> {
  const property = fc.asyncProperty(repetitionsOf(texts, units), async (repetition) => {
    for (const [size, times] of SIZES) {
      const body = prepare(repeated(repetition, size))
      for (let time = 0; time < times; time++) await read(body)
    }
  })
  return fc.assert(property, { seed: SEED, numRuns: RUNS, endOnFailure: true })
}

async function readTable(bytes: Uint8Array, isText: boolean): Promise<void> {
  const sample: string[][] = []
  try {
    for await (const record of (await open(bytes, { isText })).records)
      if (sample.length < 100) sample.push([...record])
    findColumns(sample, null)
  } catch (error) {
    refused(error)
  }
}

describe("the time to read a body grows no faster than the body, for any repetition in it:", () => {
  const MARKUP = ["<", ">", "&", '"', "'", "/", "=", "!", "?", "-", "[", "]", " ", "\n", "a", ":", ";", "_", "é"]
  const TOKENS = [
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?x ",
    "?>",
    "<!DOCTYPE ",
    "&amp;",
    "&#65;",
    "<a>",
    "</a>",
    '<a b="',
  ]
  const parts = workbookParts(
    sheetRows([
      ["Email", "Name"],
      ["a@b.test", 1],
    ]),
  )
  test.each(Object.keys(parts))("%s of a workbook", async (name) => {
    await expectLinear({
      texts: [parts[name]!],
      units: [...MARKUP, ...TOKENS],
      prepare: (text) => workbook("", { [name]: bytesOf(text) }),
      read: (bytes) => readTable(bytes, false),
    })
  })

  const TABLES = [
    'Name;E-Mail\nAnn;ann@b.test\n"Bob ""B""";bob@b.test\n',
    "name,email\r\nAnn,ann@b.test\r\n",
    "sep=;\nname;email\nAnn;a@b.test\n",
    "Doe, J <a@b.test>\nmailto:b@b.test\n",
  ]
  const CELLS = [
    ",",
    ";",
    "\t",
    "|",
    '"',
    '""',
    '","',
    "\n",
    "\r",
    "\r\n",
    " ",
    "@",
    ".",
    "a",
    "<",
    "é",
    "漢",
    "\u200b",
    "\0",
  ]
  test.each([false, true])("a table in a text file: %s", async (isText) => {
    await expectLinear({ texts: TABLES, units: CELLS, prepare: bytesOf, read: (bytes) => readTable(bytes, isText) })
  })

  test("an import of suppressions", async () => {
    const clock = { now: () => 0, sleep: async () => undefined }
    const ctx = testContext({ clock, tables: reading(clock).tables, memoryRateLimiter: { reserve: () => true } })
    // No row is an address, so nothing is stored.
    const texts = ["email,reason\nann,manual\n", 'email;reason\n"a";b\n', "sep=;\nemail;days\na;1\n"]
    const defaults = { reason: "manual", source: null } as const
    await expectLinear({
      texts,
      units: CELLS.filter((unit) => !unit.includes("@")),
      prepare: (text) => text,
      read: (text) =>
        importSuppressions(ctx, { ...tableFile(text), caller: { kind: "admin" }, list: "x", defaults }).catch(refused),
    })
  })

  test("a list in JSON", async () => {
    const texts = ['{"emails":["a@b.test","c\\u0040d.test"],"smtp":true}', '{"smtp":{"a":[1,"x"]}, "emails" : [ ]}']
    await expectLinear({
      texts,
      units: [...'[]{}",:\\ @a\n0é', '\\"', "\\u0041", '"a",', "[[", '{"a":', '"a":1,'],
      prepare: (text) => text,
      read: (text) => {
        const reader = new ListReader("emails")
        for (let at = 0; at < text.length; at += 4_096) reader.push(text.slice(at, at + 4_096))
        reader.end()
      },
    })
  })

  test("a form", async () => {
    const head = 'Content-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n'
    const texts = [`--x-y\r\n${head}a@b.test\r\n--x-y--\r\n`, `--x-y\n${head}a@b.test\n--x-y--`]
    await expectLinear({
      texts,
      units: ["-", "\r\n", "\n", "--x", "--x-y", "\r\n--x-y", ";", '"', "\\", ":", "=", " ", "a", "--x-y\r\n"],
      prepare: bytesOf,
      read: (bytes) => formProblem(bytes, boundaryOf("multipart/form-data; boundary=x-y")!),
    })
  })
})

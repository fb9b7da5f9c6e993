import { beforeAll, describe, expect, test } from "vitest"
import { openTable } from "../../../src/adapters/tables/open-table.ts"
import { smallBlocks } from "../../support/inputs/deflate-blocks.ts"
import { HOSTILE_WORKBOOKS } from "../../support/inputs/hostile-workbooks.ts"
import { sheetRows, withPacked, workbook } from "../../support/inputs/workbook.ts"
import { cpuMs, cpuRatio, longestTurnShare } from "../../support/stack/cpu.ts"

async function read(bytes: Uint8Array): Promise<number> {
  let records = 0
  for await (const _ of (await openTable(bytes, false)).records) records++
  return records
}
const refusal = (bytes: Uint8Array) =>
  read(bytes).then(
    () => null,
    ({ code, message }: Error & { code?: string }) => ({ code, message }),
  )

const RUNS = 10
const list = (addresses: number) => sheetRows(Array.from({ length: addresses }, (_, n) => [`user${n}@x.test`]))

describe("a workbook built to block the thread is refused each time, for about the CPU of an ordinary one of its size", () => {
  /** The CPU time of reading 3 MB of XML. */
  let ordinaryMs = 0
  beforeAll(async () => {
    const bytes = workbook(list(42_000))
    await read(bytes)
    ordinaryMs = await cpuMs(() => read(bytes))
  })

  test.each(HOSTILE_WORKBOOKS)("$name", async ({ bytes, refusal: expected }) => {
    const file = bytes()
    for (let run = 0; run < RUNS; run++) {
      const ms = await cpuMs(async () => {
        expect(await refusal(file)).toEqual({ code: "invalid", message: expect.stringContaining(expected) })
      })
      expect(ms).toBeLessThan(5 * ordinaryMs)
    }
  })
})

test("a compressed file of small blocks costs no more than three ordinary ones of its size", async () => {
  const blocks = 3_000
  const hostile = withPacked("xl/theme.xml", smallBlocks(blocks), blocks)
  const ordinary = workbook(list(14_000))
  expect(hostile.length / ordinary.length).toBeCloseTo(1, 1)
  expect(
    await cpuRatio(
      () => read(hostile),
      () => read(ordinary),
    ),
  ).toBeLessThan(3)
})

describe("reading a file yields the thread many times", () => {
  const bytesOf = (text: string) => new TextEncoder().encode(text)
  const shared = bytesOf(`<sst><si><t>${"\u200b".repeat(1_900)}@</t></si></sst>`)
  const oneString = `<row>${'<c t="s"><v>0</v></c>'.repeat(40)}</row>`.repeat(60)
  test.each([
    ["a workbook", workbook(list(20_000))],
    ["a workbook of empty tags", workbook("<a/>".repeat(300_000))],
    ["a workbook that repeats a long text", workbook(oneString, { "xl/sharedStrings.xml": shared })],
    ["a workbook with a large packed file", workbook("", { "xl/theme.xml": new Uint8Array(19_000_000) })],
    ["a CSV", bytesOf("name,email\nAnn,ann@x.test\n".repeat(60_000))],
    ["a CSV of blank lines", bytesOf("\n".repeat(2_000_000))],
    ["a CSV of invisible characters", bytesOf(`${"\u200b".repeat(1_900)}@\n`.repeat(700))],
    ["a list of one address a line", bytesOf("user@mailbox.test\n".repeat(80_000))],
  ])("%s", async (_, bytes) => {
    expect(await longestTurnShare(() => read(bytes))).toBeLessThan(0.25)
  })
})

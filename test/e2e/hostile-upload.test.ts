import { describe, expect, test } from "vitest"
import { HOSTILE_WORKBOOKS } from "../support/inputs/hostile-workbooks.ts"
import { incompressible, workbook } from "../support/inputs/workbook.ts"
import { call, callUnchecked } from "../support/stack/api.ts"
import { newAccount } from "../support/stack/jobs.ts"

const RUNS = 10
const TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

/** Each file has an account of its own, because the bytes that an account reads for free are limited. */
async function upload(body: string | Uint8Array<ArrayBuffer>, type: string) {
  const { headers } = await newAccount()
  return call<{ detail: { msg: string }[] }>("POST", "/bulk/upload", {
    headers: { ...headers, "content-type": type },
    body,
  })
}

/** The number of /health answers during the work. */
async function answersDuring(work: () => Promise<void>): Promise<number> {
  let [answers, isOver] = [0, false]
  const working = work().finally(() => {
    isOver = true
  })
  while (!isOver) {
    expect((await callUnchecked("/health")).status).toBe(200)
    answers++
  }
  await working
  return answers
}

describe("while the service refuses a workbook, /health keeps answering:", () => {
  test.each(HOSTILE_WORKBOOKS)("$name", async ({ bytes, refusal }) => {
    const file = bytes()
    const answers = await answersDuring(async () => {
      for (let run = 0; run < RUNS; run++) {
        const { status, body } = await upload(file, TYPE)
        expect([status, body.detail[0]?.msg]).toEqual([422, expect.stringContaining(refusal)])
      }
    })
    expect(answers).toBeGreaterThanOrEqual(RUNS)
  })
})

describe("while the service reads a full file that is not a list, /health keeps answering:", () => {
  const part = 'Content-Disposition: form-data; name="x"\r\n\r\nx\r\n'
  test.each([
    ["tags", TYPE, () => workbook("<a/>".repeat(2_000_000), incompressible(100_000)), "no address column was found"],
    ["blank lines", "text/csv", () => "\n".repeat(19_000_000), "no address column was found"],
    ["one record", "text/csv", () => ",".repeat(19_000_000), "line 1 has more than 256 columns"],
    [
      "parts of a form",
      "multipart/form-data; boundary=x",
      () => `--x\r\n${part}`.repeat(200_000),
      "the form has more than 20 parts",
    ],
    [
      "the headers of a part",
      "multipart/form-data; boundary=x",
      () => `--x\r\n${"a: b\r\n".repeat(1_500_000)}\r\nx\r\n--x--`,
      "the form has a part whose headers do not end within 8192 bytes",
    ],
  ])("%s", async (_, type, body, refusal) => {
    const file = body()
    const answers = await answersDuring(async () => {
      const { status, body } = await upload(file, type)
      expect([status, JSON.stringify(body.detail)]).toEqual([expect.any(Number), expect.stringContaining(refusal)])
      expect([413, 422]).toContain(status)
    })
    expect(answers).toBeGreaterThan(1)
  })
})

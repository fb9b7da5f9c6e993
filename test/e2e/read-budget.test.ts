import { describe, expect, test } from "vitest"
import { incompressible, workbook } from "../support/inputs/workbook.ts"
import { asAdmin } from "../support/stack/account.ts"
import { type Answer, call, callUnchecked } from "../support/stack/api.ts"
import { type Account, type JobAnswer, newAccount, waitForJobEnd } from "../support/stack/jobs.ts"

const WORKBOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
type File = string | Uint8Array<ArrayBuffer>

const send = (at: string, { headers }: Pick<Account, "headers">, body: File, type = "text/csv") =>
  call<{ detail: string | { msg: string }[]; code: string }>("POST", at.split("?")[0]!, {
    at,
    headers: { ...headers, "content-type": type },
    body,
  })

/** Sends the file until it is refused, since the minute of the budget may end in between. */
async function untilRefused<T>(sendOne: () => Promise<Answer<T>>): Promise<Answer<T>> {
  for (let time = 0; time < 10; time++) {
    const answer = await sendOne()
    if (answer.status !== 200) return answer
  }
  throw new Error("ten files were read")
}

describe("files that an account reads for free", () => {
  const rows = "a\n".repeat(700_000)
  const text = `a\n${`${"b".repeat(9_999)}\n`.repeat(1_500)}`
  test.each([
    ["previews of many rows", rows],
    ["previews of many bytes", text],
  ])("%s have a limit, which no other account notices", async (_, file) => {
    const [own, other] = [await newAccount(), await newAccount()]
    const refused = await untilRefused(() => send("/bulk/preview?email_column=1", own, file))
    expect({ status: refused.status, body: refused.body }).toEqual({
      status: 429,
      body: {
        detail: expect.stringMatching(/^too much was read for free in this minute; retry in \d+ seconds$/),
        code: "free_work_exceeded",
      },
    })
    const wait = Number(refused.headers.get("retry-after"))
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(60)
    expect((await send("/bulk/preview", other, "email\na@d1901.test\n")).status).toBe(200)
  })
})

describe("a small workbook that would cost seconds is refused with what to do:", () => {
  const padding = incompressible(200_000)
  test.each([
    ["rows without a value", workbook("<row/>".repeat(3_000_000)), /at most 150 times its size; delete empty rows/],
    [
      "padded rows without a value",
      workbook("<row/>".repeat(1_000_000), padding),
      /more than 100000 rows without a val/,
    ],
    [
      "padded cells without a value",
      workbook(`<row>${"<c/>".repeat(250)}</row>`.repeat(9_000), padding),
      /without a value/,
    ],
  ])("%s", async (_, file, expected) => {
    for (const path of ["/bulk/preview", "/bulk/upload"]) {
      const own = await newAccount("free")
      const { status, body } = await send(path, own, file, WORKBOOK)
      expect({ status, body }).toEqual({
        status: 413,
        body: { detail: expect.stringMatching(expected), code: "list_too_large" },
      })
    }
  })
})

test("a list that waits for another file of its account is read after it", async () => {
  const own = await newAccount()
  const files = [1, 2].map((n) => send("/bulk/preview", own, `email\nuser${n}@d1902.test\n`.repeat(1_000)))
  expect((await Promise.all(files)).map(({ status }) => status)).toEqual([200, 200])
})

test("addresses that look like formulas survive a download that is uploaded again", async () => {
  const own = await newAccount()
  const addresses = ["+tag1@d1903.test", "-b@d1903.test", "=c@d1903.test", "a-b+c=d@d1903.test"]
  const start = async (body: string) => {
    const { body: job } = await send("/bulk/upload", own, body)
    const { job_id } = job as unknown as { job_id: string }
    await waitForJobEnd(job_id, own.headers)
    const at = `/jobs/${job_id}?limit=100`
    const { body: page } = await call<JobAnswer>("GET", "/jobs/{job_id}", { at, headers: own.headers })
    const { text } = await callUnchecked(`/bulk/download/${job_id}`, { headers: own.headers })
    return { emails: page.results?.map(({ checks }) => checks.email), csv: text }
  }
  const first = await start(`email;note\n${addresses.map((email) => `${email};x,=1+1,y`).join("\n")}\n`)
  expect(first.emails).toEqual(addresses)
  expect(first.csv).toContain(`"'+tag1@d1903.test";"x,'=1+1,y"`)
  expect(first.csv).not.toMatch(/[,;\t|"]\s*=/)
  const second = await start(first.csv)
  expect(second.emails).toEqual(addresses)
})

test("an export of suppressions that look like formulas is imported as it was", async () => {
  const own = await newAccount()
  const csv = 'email,reason,source\n+tag@d1904.test,manual,"a;-b | =1"\n'
  await send("/suppression/import", own, csv)
  const { text } = await call("GET", "/suppression/export", { headers: own.headers })
  expect(text).toContain(`"'+tag@d1904.test",manual,"a;'-b | '=1"`)
  const again = await send("/suppression/import", own, text)
  expect(again.body).toMatchObject({ added: 0, kept: 1, rejected: [] })
})

test("an import by the operator is read, too", async () => {
  const headers = { "content-type": "text/csv" }
  const at = `/suppression/import`
  const { status } = await call("POST", at, asAdmin({ headers, body: "email\nuser1@d1905.test\n" }))
  expect(status).toBe(200)
})

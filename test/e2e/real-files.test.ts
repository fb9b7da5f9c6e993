import { beforeAll, describe, expect, test } from "vitest"
import { call, callUnchecked } from "../support/stack/api.ts"
import { type Account, type JobAnswer, newAccount, waitForJobEnd } from "../support/stack/jobs.ts"

let key: Account
beforeAll(async () => {
  key = await newAccount()
})

type Body = string | Uint8Array<ArrayBuffer>
interface Uploaded extends JobAnswer {
  readonly file: Readonly<Record<string, unknown>>
}
const send = <T>(path: string, body: Body, query = "") =>
  call<T>("POST", path, { at: `${path}${query}`, headers: { ...key.headers, "content-type": "text/csv" }, body })
const preview = (body: Body, query = "") => send<Readonly<Record<string, unknown>>>("/bulk/preview", body, query)
const hex = (text: string) => new Uint8Array(Buffer.from(text, "hex"))

test("each address of a cell, of a line and below titles is verified, and the answer says what was left out", async () => {
  const table = [
    "Report of May;;",
    ";;",
    "Name;Owner;E-Mail",
    "Roe, Ann;rep@d0993.test;user1@d0991.test",
    "Doe, Bob;rep@d0993.test;user2@d0991.test, Cid <user3@d0991.test>",
    "Low, Dan;rep@d0993.test;",
  ]
  const { file } = (await send<Uploaded>("/bulk/upload", table.join("\n"))).body
  expect(file).toMatchObject({
    ...{ email_column: "E-Mail", other_address_columns: ["Owner"], skipped_rows: 2 },
    ...{ cells_with_several_addresses: 1, rows: 4, rows_without_address: 1 },
  })
})

describe("the encoding of a file", () => {
  // A name and an address in Shift_JIS, GBK and Windows-1251, which the sandbox's runtime must know.
  test.each([
    ["shift_jis", "96bc914f7c83818163838b0a8e5293637c7573657231406430393932", "山田"],
    ["gbk", "d0d5c3fb7cd3cacfe40ad5c5ceb07c7573657231406430393932", "张伟"],
    ["windows-1251", "c8ecff7ccfeef7f2e00ac8e2e0ed7c7573657231406430393932", "Иван"],
  ])("%s must be named, and is then read", async (encoding, start, name) => {
    const bytes = hex(`${start}2e746573740a`)
    const refused = await preview(bytes)
    expect(refused).toMatchObject({ status: 422 })
    expect(refused.text).toContain("name its encoding")
    const { body } = await preview(bytes, `?encoding=${encoding}`)
    expect(body).toMatchObject({
      first_rows: [[name, "user1@d0992.test"]],
      file: { delimiter: "|", unreadable_characters: 0 },
    })
  })

  test("that does not exist is refused", async () => {
    expect(await preview("email\nuser1@d0992.test\n", "?encoding=klingon")).toMatchObject({
      ...{ status: 422, body: { detail: [{ loc: ["query", "encoding"] }] } },
    })
  })

  test("is UTF-8 with a damaged letter, which is counted", async () => {
    const text = Buffer.from("email,note\nalice@bücher.test,läuft\nbob@mailbox.test,M?nchen\n")
    const bytes = new Uint8Array(text).with(text.indexOf(0x3f), 0xfc)
    expect((await preview(bytes)).body).toMatchObject({
      ...{ addresses: 2, file: { encoding: "utf-8", unreadable_characters: 1 } },
    })
  })
})

test.each([
  ["a web page", "<html><body>user1@d0992.test</body></html>", "a web page (HTML)"],
  ["a vCard", "BEGIN:VCARD\nEMAIL:user1@d0992.test\nEND:VCARD\n", "a vCard file"],
  ["prose", "Dear all,\nplease write.\n", "no address column was found"],
])("%s is refused by its name", async (_, text, words) => {
  const { status, text: answer } = await send("/bulk/upload", text)
  expect({ status, answer }).toEqual({ status: 422, answer: expect.stringContaining(words) })
})

test("a text with several addresses, sent as one address, is called so", async () => {
  const at = `/validate/syntax?email=${encodeURIComponent("user1@d0992.test; user2@d0992.test")}`
  const { body } = await call<Readonly<Record<string, unknown>>>("GET", "/validate/syntax", { at })
  expect(JSON.stringify(body)).toContain("several addresses")
})

test("the download of a list, uploaded again, is the same list", async () => {
  const list = ["email,name", "+ann@mailbox.test,=1+1", "-bob@mailbox.test,x"].join("\n")
  const { body: job } = await send<Uploaded>("/bulk/upload", list, "?smtp=false")
  await waitForJobEnd(job.job_id, key.headers)
  const { text } = await callUnchecked(`/bulk/download/${job.job_id}`, { headers: key.headers })
  expect(text).toContain("'+ann@mailbox.test")
  const again = await preview(text)
  expect(again.body).toMatchObject({ email_column: 1, addresses: 2 })
  expect(again.body.first_rows).toEqual([
    expect.arrayContaining(["+ann@mailbox.test", "=1+1"]),
    expect.arrayContaining(["-bob@mailbox.test", "x"]),
  ])
})

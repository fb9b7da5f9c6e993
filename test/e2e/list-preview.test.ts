import { beforeAll, describe, expect, test } from "vitest"
import { sheetRows, workbook } from "../support/inputs/workbook.ts"
import { workbookPackage } from "../support/inputs/workbook-package.ts"
import { call } from "../support/stack/api.ts"
import { type Account, newAccount } from "../support/stack/jobs.ts"

let key: Account
beforeAll(async () => {
  key = await newAccount()
})

const named = (name: string) => {
  const body = new FormData()
  body.set("file", new Blob(["user1@d0954.test"]), name)
  return body
}
const send = (path: string, text: string | Uint8Array<ArrayBuffer>, { query = "", type = "text/csv", by = key } = {}) =>
  call(`POST`, path, { at: `${path}${query}`, headers: { ...by.headers, "content-type": type }, body: text })

const CSV = `Name;E-Mail;Other
Alice;alice@mailbox.test;x@d1847.test
Bob;not an address;y@d1847.test
Ada;alice@mailbox.test;
Carl;;
Dora;dora@catch-all.test;
Eve;eve@mailbox.test;${"long".repeat(100)}`

describe("POST /bulk/preview", () => {
  test("shows how the file is read, and what it can cost", async () => {
    const { status, body } = await send("/bulk/preview", CSV)
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        file: {
          ...{ format: "csv", encoding: "utf-8", delimiter: ";", sheet: null, other_sheets: [] },
          ...{ email_column: "E-Mail", other_address_columns: ["Other"] },
          ...{ skipped_rows: 0, cells_with_several_addresses: 0, unreadable_characters: 0 },
        },
        columns: ["Name", "E-Mail", "Other"],
        ...{ email_column: 2, has_header: true, rows: 6, addresses: 4 },
        first_rows: [
          ["Alice", "alice@mailbox.test", "x@d1847.test"],
          ["Bob", "not an address", "y@d1847.test"],
          ["Ada", "alice@mailbox.test", ""],
          ["Carl", "", ""],
          ["Dora", "dora@catch-all.test", ""],
        ],
        ...{ credits_at_most: 4, sample_credits_at_most: 4 },
      },
    })
  })

  test.each([
    ["a column by number", CSV, "?email_column=3", { email_column: 3, addresses: 2, rows: 6 }],
    ["a column by name", CSV, "?email_column=other", { email_column: 3, addresses: 2 }],
    ["no header", "ann@d1847.test,x\nbob@d1847.test,y\n", "", { has_header: false, columns: ["column_1", "column_2"] }],
    ["a cell is cut", `email,note\na@b.test,${"n".repeat(900)}\n`, "", { first_rows: [["a@b.test", "n".repeat(200)]] }],
    ["only a header", "email\n", "", { rows: 0, addresses: 0, first_rows: [], credits_at_most: 0 }],
  ])("%s", async (_, text, query, expected) => {
    expect(await send("/bulk/preview", text, { query })).toMatchObject({ status: 200, body: expected })
  })

  test("reads a workbook", async () => {
    const file = workbook(sheetRows([["Contact"], ["user1@d0952.test"], ["user2@d0952.test"]]))
    const answer = await send("/bulk/preview", file, { type: "application/octet-stream" })
    expect(answer.body).toMatchObject({ file: { format: "xlsx" }, columns: ["Contact"], rows: 2, addresses: 2 })
  })

  test("reads the list of a workbook with a cover sheet, a hidden sheet and names of another program", async () => {
    const file = workbookPackage(
      [
        { name: "Cover", rows: [["Questions?"], ["help@d0952.test"]] },
        { name: "Staff", rows: ["a", "b", "c"].map((name) => [`${name}@d0952.test`]), state: "hidden" },
        { name: "List", rows: [["Contact"], ["user3@d0952.test"], ["user4@d0952.test"]] },
      ],
      { main: "xl/workbook22.xml", entry: (path) => path.replaceAll("/", "\\"), target: (path) => `/${path}` },
    )
    const type = "application/octet-stream"
    const [answer, byColumn] = [
      await send("/bulk/preview", file, { type }),
      await send("/bulk/preview", file, { type, query: "?email_column=Contact" }),
    ]
    expect(answer.body).toMatchObject({ columns: ["Contact"], rows: 2, addresses: 2 })
    expect(byColumn.body).toMatchObject({ columns: ["Contact"], rows: 2, addresses: 2 })
  })

  test.each([
    ["no address column", "a,b\n1,2\n", "", 422],
    ["an unknown column", CSV, "?email_column=nope", 422],
    ["an unclosed quote", `a,b\n"${"x".repeat(100_000)}`, "", 422],
    ["a file over the size limit", "a".repeat(21_000_000), "", 413],
  ])("%s is refused", async (_, text, query, status) => {
    expect(await send("/bulk/preview", text, { query })).toMatchObject({ status, body: { detail: expect.anything() } })
  })

  test("stores, verifies and charges nothing", async () => {
    const own = await newAccount()
    await send("/bulk/preview", CSV, { by: own })
    expect((await call("GET", "/bulk/jobs", { headers: own.headers })).body).toMatchObject({ jobs: [] })
    expect((await call("GET", "/usage", { headers: own.headers })).body).toMatchObject({ credits_used: 0 })
  })
})

test("a sample of a file is verified, charged and projected, and leaves no list behind", async () => {
  const own = await newAccount()
  const lines = Array.from({ length: 40 }, (_, n) => `${n % 4 === 0 ? "no-" : "user"}${n}@d0953.test`)
  const { body } = await send("/bulk/upload", lines.join("\n"), { query: "?sample=true", type: "text/plain", by: own })
  const { sampled } = body as { sampled: number }
  expect(body).toMatchObject({ status: "sampled", total: 40, sampled: expect.any(Number), confidence: 0.95 })
  expect(sampled).toBeLessThanOrEqual(40)
  const preview = await send("/bulk/preview", lines.join("\n"), { type: "text/plain" })
  expect(sampled).toBeLessThanOrEqual((preview.body as { sample_credits_at_most: number }).sample_credits_at_most)
  expect((await call("GET", "/bulk/jobs", { headers: own.headers })).body).toMatchObject({ jobs: [] })
})

test("a list is found by a part of its file name, in its account only", async () => {
  const [own, other] = [await newAccount(), await newAccount()]
  const names = ["Customers May.csv", "customers 100%.csv", "leads.csv"]
  for (const name of names) await call("POST", "/bulk/upload", { headers: own.headers, body: named(name) })
  const found = async (name: string, { headers } = own) => {
    const at = `/bulk/jobs?name=${encodeURIComponent(name)}`
    const { body } = await call<{ jobs: { file_name: string }[] }>("GET", "/bulk/jobs", { at, headers })
    return body.jobs.map(({ file_name }) => file_name)
  }
  expect(await found("CUSTOMERS")).toEqual(["customers 100%.csv", "Customers May.csv"])
  expect(await found("%")).toEqual(["customers 100%.csv"])
  expect(await found("none")).toEqual([])
  expect(await found("customers", other)).toEqual([])
  const empty = await call("GET", "/bulk/jobs", { at: "/bulk/jobs?name=", headers: own.headers })
  expect(empty.status).toBe(422)
})

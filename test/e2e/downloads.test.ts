import { parse } from "csv-parse/sync"
import { beforeAll, describe, expect, inject, test } from "vitest"
import { open } from "../support/inputs/read-table.ts"
import { withKey } from "../support/stack/account.ts"
import { call, callUnchecked, postJson } from "../support/stack/api.ts"
import { type Account, type JobAnswer, newAccount, waitForJobEnd } from "../support/stack/jobs.ts"

const TABLE = [
  ["2", "email", "Status"],
  ["001", "user1@d0320.test", "a;b"],
  ["002", "user2@d0320.test", "=1+1"],
  ["003", "support@mailbox.test", "role"],
  ["004", "john.smith@catch-all.test", ""],
  ["005", "no-1@d0320.test", ""],
  ["006", "not an address", ""],
  ["007", "user1@tempfail.test", ""],
  ["008", "", "no address"],
  ["009", "USER1@d0320.test", "again"],
]

let key: Account
let jobId: string
beforeAll(async () => {
  key = await newAccount()
  const text = TABLE.map((cells) => cells.map((cell) => (cell.includes(";") ? `"${cell}"` : cell)).join(";")).join("\n")
  jobId = await uploaded(`\ufeff${text}`)
  await call("POST", "/suppression/add", withKey(key, postJson({ email: "user2@d0320.test", reason: "manual" })))
})

async function uploaded(
  body: string | Uint8Array<ArrayBuffer>,
  type = "text/csv",
  query = "?smtp=true",
): Promise<string> {
  const at = `/bulk/upload${query}`
  const sent = { at, headers: { ...key.headers, "content-type": type }, body }
  const { job_id } = (await call<JobAnswer>("POST", "/bulk/upload", sent)).body
  await waitForJobEnd(job_id, key.headers)
  return job_id
}
const download = async (query: string, id = jobId) => {
  const response = await fetch(`${inject("stackUrl")}/bulk/download/${id}?${query}`, { headers: key.headers })
  expect(response.status).toBe(200)
  return { headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) }
}
const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString()

/** What each filter chooses, by the first column of the file. */
const CHOSEN = [
  ["all", ["001", "002", "003", "004", "005", "006", "007", "008", "009"]],
  ["can_send", ["001", "003", "004", "009"]],
  ["valid", ["001", "002", "003", "009"]],
  ["risky", ["002", "003", "004"]],
  ["accept_all", ["004"]],
  ["disposable", []],
  ["unknown", ["007"]],
  ["invalid", ["005", "006"]],
  ["role", ["003"]],
  ["free", []],
] as const

describe("GET /bulk/download/{job_id}", () => {
  test.each(CHOSEN)("?filter=%s", async (filter, chosen) => {
    const { headers, bytes } = await download(`filter=${filter}`)
    expect(headers.get("content-disposition")).toBe(`attachment; filename="${jobId}-${filter}.csv"`)
    const rows = parse(textOf(bytes), { bom: true, delimiter: ";", columns: true }) as Record<string, string>[]
    expect(rows.map((row) => row["2"])).toEqual(chosen)
  })

  test("?unique=true has each address once, and the rows without an address", async () => {
    const lines = async (query: string, id = jobId) =>
      (parse(textOf((await download(query, id)).bytes), { bom: true, delimiter: ";" }) as string[][]).slice(1)
    const firsts = async (query: string) => (await lines(query)).map(([first]) => first)
    expect(await firsts("filter=can_send&unique=true")).toEqual(["001", "003", "004"])
    expect(await firsts("unique=true")).toEqual(CHOSEN[0][1].slice(0, -1))
    const kept = await uploaded("email;n\nuser4@d0320.test;1\nUser4@D0320.test;2\n", "text/csv", "?deduplicate=false")
    expect((await lines("", kept)).map((cells) => cells[1])).toEqual(["1", "2"])
    expect((await lines("unique=true", kept)).map((cells) => cells[1])).toEqual(["1"])
  })

  test("a list without a file has each address once with ?unique=true", async () => {
    const emails = ["user5@d0320.test", "USER5@d0320.test"]
    const sent = withKey(key, postJson({ emails, deduplicate: false }))
    const { job_id } = (await call<JobAnswer>("POST", "/validate/bulk/async", sent)).body
    await waitForJobEnd(job_id, key.headers)
    const rowsOf = async (query: string) =>
      textOf((await download(query, job_id)).bytes)
        .trimEnd()
        .split("\r\n").length - 1
    expect([await rowsOf(""), await rowsOf("unique=true")]).toEqual([2, 1])
  })

  test("?format=csv has the delimiter and the mark of the file", async () => {
    const { headers, bytes } = await download("format=csv")
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8")
    expect(textOf(bytes.subarray(0, 40))).toMatch(/^\ufeff2;email;Status;mailverdict_status;/)
    expect(textOf(bytes)).toContain(`\r\n001;user1@d0320.test;"a;b";valid;`)
    expect(textOf(bytes)).toContain(`\r\n002;user2@d0320.test;"'=1+1";valid;`)
  })

  test("?format=json and ndjson have values of their type under the same names", async () => {
    const json = await download("format=json")
    expect(json.headers.get("content-type")).toBe("application/json")
    expect(json.headers.get("content-disposition")).toContain(`${jobId}-all.json`)
    const rows = JSON.parse(textOf(json.bytes)) as Record<string, unknown>[]
    expect(rows.map((row) => row["2"])).toEqual(CHOSEN[0][1])
    const own = { 2: "002", email: "user2@d0320.test", Status: "=1+1", mailverdict_status: "valid" }
    expect(rows[1]).toMatchObject({ ...own, can_send: false, is_suppressed: true, score: expect.any(Number) })
    expect(rows[7]).toMatchObject({ Status: "no address", mailverdict_status: null, can_send: null })
    const lines = await download("format=ndjson&filter=risky")
    expect(lines.headers.get("content-type")).toBe("application/x-ndjson")
    const risky = textOf(lines.bytes)
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown)
    expect(risky).toEqual([rows[1], rows[2], rows[3]])
    await call("GET", "/bulk/download/{job_id}", withKey(key, { at: `/bulk/download/${jobId}?format=json` }))
  })

  test("?format=xlsx is a workbook, which is read back and can be uploaded", async () => {
    const { headers, bytes } = await download("format=xlsx")
    expect(headers.get("content-type")).toBe("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
    expect(headers.get("content-disposition")).toContain(`${jobId}-all.xlsx`)
    const rows: (readonly string[])[] = []
    for await (const row of (await open(bytes)).records) rows.push(row)
    expect(rows.map((row) => row.slice(0, 3))).toEqual(TABLE)
    expect(rows[0]?.slice(3, 6)).toEqual(["mailverdict_status", "sub_status", "score"])
    expect(rows[2]?.[3]).toBe("valid")
    const again = await uploaded(bytes, "application/octet-stream", "?email_column=email&smtp=false")
    expect(textOf((await download("", again)).bytes)).toMatch(/^2,email,Status,/)
  })

  test.each([
    ["tabs", "a\temail\n1\tuser3@d0320.test\n", "a\temail\tstatus\t"],
    ["vertical bars", "a|email\n1|user3@d0320.test\n", "a|email|status|"],
    ["a mark and one column", "\ufeffemail\nuser3@d0320.test\n", "\ufeffemail,status,"],
    ["UTF-16 with a mark", Buffer.from("\ufeffa;email\n1;user3@d0320.test\n", "utf16le"), "\ufeffa;email;status;"],
  ])("keeps %s", async (_, file, start) => {
    const id = await uploaded(typeof file === "string" ? file : new Uint8Array(file))
    expect(textOf((await download("", id)).bytes).startsWith(start)).toBe(true)
  })

  test("a list without a file has commas and no mark", async () => {
    const sent = withKey(key, postJson({ emails: ["user3@d0320.test"] }))
    const { job_id } = (await call<JobAnswer>("POST", "/validate/bulk/async", sent)).body
    await waitForJobEnd(job_id, key.headers)
    expect(textOf((await download("", job_id)).bytes)).toMatch(/^email,status,.*\r\nuser3@d0320\.test,valid,/)
  })

  test.each(["filter=good", "filter=", "format=xls", "format=CSV"])("?%s is refused", async (query) => {
    const at = `/bulk/download/${jobId}?${query}`
    const { status, body } = await call("GET", "/bulk/download/{job_id}", withKey(key, { at }))
    expect(status).toBe(422)
    expect(body).toMatchObject({ detail: [{ loc: ["query", query.split("=")[0]], msg: expect.any(String) }] })
  })
})

describe("GET /jobs/{job_id}?filter", () => {
  const pageOf = (query: string) =>
    call<JobAnswer & { next_cursor?: string | null }>(
      "GET",
      "/jobs/{job_id}",
      withKey(key, { at: `/jobs/${jobId}?${query}` }),
    )

  test.each([
    ["can_send", ["user1@d0320.test", "support@mailbox.test", "john.smith@catch-all.test"]],
    ["risky", ["user2@d0320.test", "support@mailbox.test", "john.smith@catch-all.test"]],
    ["unknown", ["user1@tempfail.test"]],
    ["disposable", []],
  ])("%s chooses the same results in pages of any size, and as a whole", async (filter, expected) => {
    const emails = ({ results }: JobAnswer) => results?.map(({ checks }) => checks.email)
    const whole = await pageOf(`filter=${filter}`)
    expect(emails(whole.body)).toEqual(expected)
    for (const limit of [1, 2, 100]) {
      const seen: (string | undefined)[] = []
      for (let cursor: string | null = "", pages = 0; cursor !== null && pages < 10; pages++) {
        const { body } = await pageOf(`filter=${filter}&limit=${limit}${cursor}`)
        expect(body.results!.length).toBeLessThanOrEqual(limit)
        seen.push(...(emails(body) ?? []))
        cursor = body.next_cursor ? `&cursor=${body.next_cursor}` : null
      }
      expect(seen).toEqual(expected)
    }
  })

  test("an unknown filter is refused", async () => {
    expect((await pageOf("filter=good")).status).toBe(422)
    expect((await callUnchecked(`/jobs/${jobId}?filter=`, { headers: key.headers })).status).toBe(422)
  })
})

import { parse } from "csv-parse/sync"
import { beforeAll, describe, expect, test } from "vitest"
import { bombWorkbook, sheetRows, workbook } from "../support/inputs/workbook.ts"
import { withKey } from "../support/stack/account.ts"
import { call, callUnchecked, postJson } from "../support/stack/api.ts"
import { type Account, type JobAnswer, newAccount, waitForJobEnd } from "../support/stack/jobs.ts"

interface Uploaded extends JobAnswer {
  readonly file: Readonly<Record<string, unknown>>
}

const CSV = [
  "Name;E-Mail;Status;Note",
  'Alice;alice@mailbox.test;"=1+1";"two',
  'lines"',
  "Bob;nobody@mailbox.test;;",
  "Ada;ALICE@mailbox.test;again;the same mailbox",
  "Carl;;no address;",
  "Dora;dora@catch-all.test;+49 30;x",
  "Eve;not an address;@home;y",
].join("\r\n")

let key: Account
beforeAll(async () => {
  key = await newAccount()
})

const form = (file: Blob, name: string, fields: Record<string, string> = {}) => {
  const body = new FormData()
  for (const [field, value] of Object.entries(fields)) body.set(field, value)
  body.set("file", file, name)
  return body
}
const upload = (
  body: FormData | string | Uint8Array<ArrayBuffer>,
  { type, query = "" }: { type?: string; query?: string } = {},
) =>
  call<Uploaded>("POST", "/bulk/upload", {
    at: `/bulk/upload${query}`,
    method: "POST",
    headers: { ...key.headers, ...(type ? { "content-type": type } : {}) },
    body,
  })
const download = async (jobId: string) => {
  const { text, status, headers } = await callUnchecked(`/bulk/download/${jobId}`, { headers: key.headers })
  expect(status).toBe(200)
  expect(headers.get("content-type")).toBe("text/csv; charset=utf-8")
  return { text, rows: parse(text, { columns: true, bom: true, delimiter: [",", ";"] }) as Record<string, string>[] }
}

describe("a list from a file", () => {
  test("becomes a job, and the download has every row and column of the file, and nothing that runs", async () => {
    const file = new Blob([`\ufeff${CSV}`], { type: "text/csv" })
    const { body } = await upload(form(file, "list.csv"))
    expect(body).toMatchObject({
      status: "queued",
      total: 4,
      file: {
        format: "csv",
        encoding: "utf-8",
        delimiter: ";",
        email_column: "E-Mail",
        rows: 6,
        rows_without_address: 1,
      },
    })
    const job = await waitForJobEnd(body.job_id, key.headers)
    expect(job.summary).toMatchObject({ valid: 1, invalid: 1, accept_all: 1, invalid_syntax: 1 })

    const { rows, text } = await download(body.job_id)
    expect(rows.map((row) => [row.Name, row["E-Mail"], row.Note, row.mailverdict_status])).toEqual([
      ["Alice", "alice@mailbox.test", "two\r\nlines", "valid"],
      ["Bob", "nobody@mailbox.test", "", "invalid"],
      ["Ada", "ALICE@mailbox.test", "the same mailbox", "valid"],
      ["Carl", "", "", ""],
      ["Dora", "dora@catch-all.test", "x", "accept_all"],
      ["Eve", "not an address", "y", "invalid_syntax"],
    ])
    expect(rows.map((row) => row.Status)).toEqual(["'=1+1", "", "again", "no address", "'+49 30", "'@home"])
    expect(text).not.toMatch(/(^|;)"?[=+\-@\t]/m)
    expect(text.split("\r\n")[0]).toBe(
      "Name;E-Mail;Status;Note;mailverdict_status;sub_status;score;grade;can_send;deliverable;is_catch_all;is_disposable;is_role_account;is_free_provider;is_suppressed;provider;verified_at;error;did_you_mean;repaired",
    )
    expect(rows[0]).toMatchObject({ score: expect.stringMatching(/^\d+$/), can_send: "true", grade: "A", error: "" })
  })

  test.each([
    ["tabs", "mail\tn\nuser1@d1811.test\t1\nuser2@d1811.test\t2\n", "text/csv", 2],
    ["vertical bars, CR, no header", "1|user1@d1812.test\r2|user2@d1812.test\r", "text/csv", 2],
    [
      "one address a line",
      "user1@d1813.test\n\n Doe, John <user2@d1813.test>\nmailto:user3@d1813.test",
      "text/plain",
      3,
    ],
    ["one address", "user1@d1814.test", "text/plain", 1],
  ])("%s", async (_, body, type, total) => {
    const answer = await upload(body, { type })
    expect(answer.body).toMatchObject({ total, status: "queued" })
    expect((await waitForJobEnd(answer.body.job_id, key.headers)).summary).toMatchObject({ valid: total })
  })

  test("in other encodings", async () => {
    const utf16 = new Uint8Array(Buffer.from("\ufeffname,email\nJosé,user1@d1815.test\n", "utf16le"))
    const latin1 = new Uint8Array(Buffer.from("name,email\nJosé,user1@d1816.test\n", "latin1"))
    for (const [bytes, encoding] of [
      [utf16, "utf-16le"],
      [latin1, "windows-1252"],
    ] as const) {
      const { body } = await upload(bytes, { type: "text/csv" })
      expect(body.file).toMatchObject({ encoding })
      await waitForJobEnd(body.job_id, key.headers)
      expect((await download(body.job_id)).rows[0]).toMatchObject({ name: "José", status: "valid" })
    }
  })

  test("from Excel, with a named column, and with options in the form", async () => {
    // New addresses: a stored result would replace the unknown one of a list without SMTP.
    const run = crypto.randomUUID().slice(0, 8)
    const table = [
      ["Contact", "Backup", "Amount"],
      ["user1@d1817.test", `user-${run}@d1818.test`, 12.5],
      ["user2@d1817.test", `no-${run}@d1818.test`, 7],
    ]
    const { body } = await upload(
      form(new Blob([workbook(sheetRows(table))]), "list.xlsx", { email_column: "Backup", smtp: "false" }),
    )
    expect(body).toMatchObject({ total: 2, file: { format: "xlsx", email_column: "Backup", rows: 2 } })
    expect((await waitForJobEnd(body.job_id, key.headers)).summary).toMatchObject({ unknown: 2 })
    expect((await download(body.job_id)).rows[0]).toMatchObject({ Contact: "user1@d1817.test", Amount: "12.5" })
  })
})

describe("an invalid or too large list is refused at once and creates nothing", () => {
  const quote = `a,b\n"${"x".repeat(15_000_000)}`
  const cells = `<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>`
  test.each([
    ["nothing", "", "text/csv", 422],
    ["no address", "a,b\n1,2\n", "text/csv", 422],
    ["an old Excel file", new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 1, 2]), "application/vnd.ms-excel", 422],
    ["an image", new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13]), "text/csv", 422],
    ["a cut workbook", workbook("").slice(0, 400), "application/octet-stream", 422],
    ["a zip bomb", bombWorkbook(), "application/octet-stream", 413],
    ["a distant cell", workbook(cells), "application/octet-stream", 413],
    ["an unclosed quote", quote, "text/csv", 422],
    ["a file over the size limit", "a".repeat(21_000_000), "text/csv", 413],
    ["JSON", '{"emails":["a@b.test"]}', "application/json", 415],
    ["a form without a file", "--x--\r\n", "multipart/form-data; boundary=x", 422],
  ])("%s", async (_, body, type, status) => {
    const answer = await upload(body, { type })
    expect(answer).toMatchObject({ status, body: { detail: expect.anything() } })
  })

  test("an empty file is reported as empty, not as missing", async () => {
    const form = new FormData()
    form.set("file", new Blob([]), "list.csv")
    expect(await upload(form)).toMatchObject({ status: 422, body: { detail: [{ msg: "the file is empty" }] } })
  })

  test("a second file is refused, because half of the upload would be ignored", async () => {
    const two = form(new Blob(["ann@d0314.test\n"]), "a.txt")
    two.append("file", new Blob(["bob@d0314.test\n"]), "b.txt")
    const detail = [{ loc: ["body", "file"], msg: "send one file at a time", type: "too_big" }]
    expect(await upload(two)).toMatchObject({ status: 422, body: { detail } })
  })

  test("without a body the file is reported as missing, and a body without a type is identified by its bytes", async () => {
    const post = (body?: Uint8Array<ArrayBuffer>) =>
      call("POST", "/bulk/upload", { headers: key.headers, ...(body ? { body } : {}) })
    const nothing = { loc: ["body", "file"], type: "missing" }
    expect(await post()).toMatchObject({ status: 422, body: { detail: [nothing] } })
    const bytes = new TextEncoder().encode("name,email\nAnn,user1@d0906.test\n")
    expect(await post(bytes)).toMatchObject({ status: 200, body: { file: { format: "csv", email_column: "email" } } })
  })

  test("a hostile webhook_url, an unknown column, no key", async () => {
    const hostile = await upload("a@mailbox.test", { type: "text/plain", query: "?webhook_url=http://2130706433/" })
    expect(hostile).toMatchObject({ status: 422, body: { detail: [{ loc: ["query", "webhook_url"] }] } })
    expect((await upload("a@mailbox.test", { type: "text/plain", query: "?email_column=nope" })).status).toBe(422)
    expect((await call("POST", "/bulk/upload", { headers: { "content-type": "text/csv" }, body: "x" })).status).toBe(
      401,
    )
    const { body } = await call<{ jobs: { total: number }[] }>("GET", "/bulk/jobs", { headers: key.headers })
    expect(body.jobs.every(({ total }) => total > 0)).toBe(true)
  })

  test("a list beyond the quota is refused as a whole", async () => {
    const poor = await newAccount("free")
    const lines = Array.from({ length: 150 }, (_, n) => `user${n}@d0310.test`).join("\n")
    const headers = { ...poor.headers, "content-type": "text/plain" }
    expect((await call("POST", "/bulk/upload", { headers, body: lines })).status).toBe(402)
    expect((await call("GET", "/bulk/jobs", { headers: poor.headers })).body).toEqual({ jobs: [], next_cursor: null })
  })
})

describe("an uploaded list", () => {
  test("has its file's name, unless the name may contain an address", async () => {
    const file = new Blob(["no-1@d0314.test"])
    const named = [" März 2026.csv", "ann@d0314.test.csv"].map((name) => upload(form(file, name)))
    const made = await Promise.all([...named, upload("no-1@d0314.test", { type: "text/plain" })])
    const jobs = await Promise.all(made.map(({ body }) => waitForJobEnd(body.job_id, key.headers)))
    expect(jobs.map(({ file_name }) => file_name)).toEqual(["März 2026.csv", null, null])
  })

  test("keeps its name for the job that resumes it", async () => {
    const { job_id } = (await upload(form(new Blob(["a@tempfail.test"]), "late.txt"))).body
    const at = (path: string) => ({ at: path.replace("{job_id}", job_id), headers: key.headers })
    await call("DELETE", "/jobs/{job_id}", at("/jobs/{job_id}"))
    const child = await call<JobAnswer>("POST", "/jobs/{job_id}/resume", at("/jobs/{job_id}/resume"))
    const { body } = await call("GET", "/bulk/status/{job_id}", at(`/bulk/status/${child.body.job_id}`))
    expect(body).toMatchObject({ original_job_id: job_id, file_name: "late.txt" })
    await call("DELETE", "/jobs/{job_id}", at(`/jobs/${child.body.job_id}`))
  })

  test("has a status, an entry in the pages of recent jobs, and a report", async () => {
    const own = await newAccount()
    const lines = [
      ...Array.from({ length: 40 }, (_, n) => `${n < 30 ? "user" : "no-"}${n}@d0311.test`),
      "support@mailbox.test",
      "broken",
    ].join("\n")
    const ids: string[] = []
    for (const body of ["alice@mailbox.test", "bob@mailbox.test", lines]) {
      const headers = { ...own.headers, "content-type": "text/plain" }
      ids.push((await call<Uploaded>("POST", "/bulk/upload", { headers, body })).body.job_id)
    }
    const last = ids[2]!
    await waitForJobEnd(last, own.headers)
    const status = await call("GET", "/bulk/status/{job_id}", { at: `/bulk/status/${last}`, headers: own.headers })
    expect(status.body).toMatchObject({ job_id: last, status: "complete", total: 42, progress: 42, pct_complete: 100 })
    expect(status.body).toMatchObject({ sendable: 31 })
    expect(status.body).toMatchObject({ credits_used: 41 - Number(status.body.cached) })

    const seen: string[] = []
    for (let cursor = ""; ; ) {
      const at = `/bulk/jobs?limit=2${cursor}`
      const { body } = await call<{ jobs: { job_id: string }[]; next_cursor: string | null }>("GET", "/bulk/jobs", {
        at,
        headers: own.headers,
      })
      seen.push(...body.jobs.map(({ job_id }) => job_id))
      if (body.next_cursor === null) break
      cursor = `&cursor=${body.next_cursor}`
    }
    expect(seen).toEqual(ids.toReversed())

    const { body: report } = await call("GET", "/bulk/{job_id}/report", withKey(own, { at: `/bulk/${last}/report` }))
    expect(report).toMatchObject({
      analyzed: 42,
      sending_risk: { level: "high", reason: "24.4 % of 41 addresses with a clear result would bounce." },
      composition: { role_accounts: 1, sendable: 31 },
      projected_bounce_rate: { rate: 0.2439, decided: 41, expected: 10, confidence: 0.95 },
      top_problems: [
        { problem: "mailbox_not_found", count: 10 },
        { problem: "malformed", count: 1 },
        { problem: "role_account", count: 1 },
      ],
    })
    const sum = (report as { score_distribution: { count: number }[] }).score_distribution
    expect(sum.reduce((total, { count }) => total + count, 0)).toBe(42)
    await call("POST", "/suppression/add", withKey(own, postJson({ email: "user3@d0311.test", reason: "manual" })))
    const after = await call("GET", "/bulk/{job_id}/report", withKey(own, { at: `/bulk/${last}/report` }))
    expect(after.body).toMatchObject({ composition: { sendable: 30 } })
    for (const path of ["/bulk/status/{job_id}", "/bulk/{job_id}/report", "/bulk/download/{job_id}"])
      expect((await call("GET", path, { at: path.replace("{job_id}", last), headers: key.headers })).status).toBe(404)
  })
})

describe("POST /utils/dedup", () => {
  test("returns one address per mailbox, from a list or from the field emails", async () => {
    const emails = [
      "A.Lice+x@gmail.com",
      "alice@mailbox.test",
      "alice@gmail.com",
      "ALICE@mailbox.test",
      "broken",
      "broken",
    ]
    const expected = {
      original: 6,
      unique: 3,
      removed: 3,
      emails: ["A.Lice+x@gmail.com", "alice@mailbox.test", "broken"],
    }
    for (const body of [emails, { emails }]) {
      const answer = await call<{ groups: { canonical: string }[] }>("POST", "/utils/dedup", postJson(body))
      expect(answer.body).toMatchObject(expected)
      expect(answer.body.groups[0]).toEqual({
        canonical: "alice@gmail.com",
        kept: "A.Lice+x@gmail.com",
        emails: ["A.Lice+x@gmail.com", "alice@gmail.com"],
      })
    }
    for (const body of [[], [1], { emails: null }, [["a@b.test"]]])
      expect((await call("POST", "/utils/dedup", postJson(body))).status).toBe(422)
  })
})

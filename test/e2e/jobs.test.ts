import { sql } from "drizzle-orm"
import { beforeAll, describe, expect, inject, test } from "vitest"
import { openDatabase } from "../../src/adapters/store/database.ts"
import { call, callUnchecked, postJson } from "../support/stack/api.ts"
import { type Account, type JobAnswer, newAccount, waitForJobEnd } from "../support/stack/jobs.ts"

let key: Account
beforeAll(async () => {
  key = await newAccount()
})

const json = (headers: Record<string, string>) => ({ "content-type": "application/json", ...headers })
const submit = (body: object, headers = key.headers) =>
  call<JobAnswer>("POST", "/validate/bulk/async", { ...postJson(body), headers: json(headers) })
const atOf = ({ headers }: Account, jobId: string, more = "") => ({ at: `/jobs/${jobId}${more}`, headers })
const at = (jobId: string, more = "") => atOf(key, jobId, more)
/** Makes a job older. */
const age = (jobId: string, ms: number) =>
  openDatabase(inject("database")).run(sql`UPDATE jobs SET created_at = created_at - ${ms} WHERE job_id = ${jobId}`)
const usedBy = async ({ headers }: Account) => {
  const { body } = await call<{ keys: { credits_this_month: number }[] }>("GET", "/keys", { headers })
  return body.keys.reduce((sum, one) => sum + one.credits_this_month, 0)
}
const list = (count: number, from = 0) =>
  Array.from(
    { length: count },
    (_, n) => `${n % 5 ? "user" : "no-"}${n + from}@d${String(n % 300).padStart(4, "0")}.test`,
  )

describe("a job", () => {
  test("verifies every address once, in any order, and returns the results in the order of the list", async () => {
    const own = await newAccount()
    const emails = [...list(1_200, 10_000), "broken", "x@catch-all.test"]
    const { body } = await submit({ emails: [...emails, emails[3]!.toUpperCase()] }, own.headers)
    expect(body).toMatchObject({ status: "queued", total: 1_202 })
    const job = await waitForJobEnd(body.job_id, own.headers)
    expect(job).toMatchObject({
      status: "complete",
      submitted_at: body.submitted_at,
      progress: 1_202,
      pct_complete: 100,
      deduplicated: 1,
      failed: 0,
      summary: { valid: 960, invalid: 240, accept_all: 1, unknown: 0, invalid_syntax: 1 },
    })
    expect(job.results!.map(({ checks }) => checks.email)).toEqual(emails)
    expect(await usedBy(own)).toBe(1_201)
  })

  test("is read in pages on request", async () => {
    const { body } = await submit({ emails: list(25, 20_000) })
    const whole = await waitForJobEnd(body.job_id, key.headers)
    const pages: unknown[] = []
    for (let cursor = ""; ; ) {
      const more = `?limit=10${cursor && `&cursor=${cursor}`}`
      const { body: page } = await call<JobAnswer & { next_cursor: string | null }>(
        "GET",
        "/jobs/{job_id}",
        at(body.job_id, more),
      )
      pages.push(...page.results!)
      if (page.next_cursor === null) break
      cursor = page.next_cursor
    }
    expect(pages).toEqual(whole.results)
  })

  test("does not charge for cached results", async () => {
    const own = await newAccount()
    const emails = list(40, 30_000)
    await waitForJobEnd((await submit({ emails })).body.job_id, key.headers)
    const again = await waitForJobEnd((await submit({ emails }, own.headers)).body.job_id, own.headers)
    expect(again).toMatchObject({ cached: 40, progress: 40 })
    expect(await usedBy(own)).toBe(0)
  })

  test("retries deferred addresses, and lists those that stay deferred as dead letters", async () => {
    const emails = ["alice+job@greylist.test", "alice@tempfail.test", "user1@d0050.test"]
    const { body } = await submit({ emails })
    const job = await waitForJobEnd(body.job_id, key.headers)
    expect(job.results!.map(({ checks }) => checks.status)).toEqual(["valid", "unknown", "valid"])
    expect(job.failed).toBe(1)
    const dead = await call("GET", "/jobs/{job_id}/dead-letter", at(body.job_id, "/dead-letter"))
    expect(dead.body).toMatchObject({
      total: 1,
      dead_letters: [{ email: "alice@tempfail.test", error: "temporary_failure", attempts: 3 }],
      next_cursor: null,
    })
    const retried = await call<JobAnswer & { original_job_id: string }>("POST", "/jobs/{job_id}/retry-dead-letter", {
      ...at(body.job_id, "/retry-dead-letter"),
      method: "POST",
    })
    expect(retried.body).toMatchObject({ status: "queued", total: 1, original_job_id: body.job_id })
    const twice = await call("POST", "/jobs/{job_id}/resume", at(body.job_id, "/resume"))
    expect(twice).toMatchObject({ status: 409, body: { code: "conflict" } })
    expect(await waitForJobEnd(retried.body.job_id, key.headers)).toMatchObject({ total: 1, failed: 1 })
    const csv = await callUnchecked(`/bulk/download/${retried.body.job_id}`, { headers: key.headers })
    expect(csv.text.trim().split("\r\n").slice(1)).toEqual([expect.stringMatching(/^alice@tempfail\.test,/)])
  })

  test("can be canceled, and resume continues with the unverified addresses", async () => {
    const own = await newAccount()
    const { body } = await submit({ emails: [...list(3_000, 40_000), "alice@hang.test"] }, own.headers)
    const early = await call("POST", "/jobs/{job_id}/resume", {
      at: `/jobs/${body.job_id}/resume`,
      headers: own.headers,
    })
    expect(early).toMatchObject({ status: 409, body: { code: "job_not_ready" } })
    const cancelled = await call<JobAnswer>("DELETE", "/jobs/{job_id}", {
      at: `/jobs/${body.job_id}`,
      headers: own.headers,
    })
    expect(cancelled.body).toMatchObject({ status: "failed", partial: false, pending: 0, estimated_seconds: null })
    expect(cancelled.body.cancelled_at).toBe(cancelled.body.completed_at)
    const after = await waitForJobEnd(body.job_id, own.headers)
    expect(after.progress).toBe(cancelled.body.progress)
    expect(await usedBy(own)).toBeLessThanOrEqual(after.progress)
    // An unverified row keeps its address: without it the row could not be identified.
    const csv = await callUnchecked(`/bulk/download/${body.job_id}`, { headers: own.headers })
    const lines = csv.text.trimEnd().split("\r\n").slice(1)
    expect(lines).toHaveLength(3_001)
    expect(lines.at(-1)).toMatch(/^alice@hang\.test,{16}$/)
    const again = await call("DELETE", "/jobs/{job_id}", { at: `/jobs/${body.job_id}`, headers: own.headers })
    expect(again).toMatchObject({ status: 409, body: { code: "conflict" } })
    const resumed = await call<JobAnswer>("POST", "/jobs/{job_id}/resume", {
      at: `/jobs/${body.job_id}/resume`,
      headers: own.headers,
    })
    expect(resumed.body.total).toBe(3_001 - after.progress)
    await call("DELETE", "/jobs/{job_id}", { at: `/jobs/${resumed.body.job_id}`, headers: own.headers })
  })

  test("ends within finish_within: pending addresses are unknown, free dead letters, and a retry inherits it", async () => {
    const own = await newAccount()
    const emails = [...list(20, 45_000), "alice@hang.test", "broken"]
    const { body } = await submit({ emails, finish_within: 10 }, own.headers)
    const running = async () => (await call<JobAnswer>("GET", "/jobs/{job_id}", atOf(own, body.job_id))).body
    await expect.poll(running).toMatchObject({ status: "running", progress: 21 })
    await age(body.job_id, 10_000)
    const job = await waitForJobEnd(body.job_id, own.headers)
    expect(job).toMatchObject({ status: "complete", progress: 22, failed: 1, finish_within: 10, cancelled_at: null })
    expect(job.summary).toEqual({ valid: 16, invalid: 4, accept_all: 0, unknown: 1, invalid_syntax: 1 })
    expect(await usedBy(own)).toBe(20)
    const dead = await call("GET", "/jobs/{job_id}/dead-letter", {
      at: `/jobs/${body.job_id}/dead-letter`,
      headers: own.headers,
    })
    expect(dead.body).toMatchObject({ total: 1, dead_letters: [{ email: "alice@hang.test", error: "finish_within" }] })
    const retried = await call<JobAnswer>("POST", "/jobs/{job_id}/retry-dead-letter", {
      at: `/jobs/${body.job_id}/retry-dead-letter`,
      headers: own.headers,
    })
    const child = await call<JobAnswer>("DELETE", "/jobs/{job_id}", {
      at: `/jobs/${retried.body.job_id}`,
      headers: own.headers,
    })
    expect(child.body).toMatchObject({ finish_within: 10, status: "failed", cancelled_at: expect.any(String) })
  })

  test("with thousands of addresses does not delay another account's small job", async () => {
    const [many, few] = [await newAccount(), await newAccount()]
    const large = await submit({ emails: list(8_000, 100_000) }, many.headers)
    const small = await submit({ emails: list(5, 200_000) }, few.headers)
    const first = await waitForJobEnd(small.body.job_id, few.headers)
    expect(first).toMatchObject({ status: "complete", progress: 5 })
    // 409 when the job is already complete, as on a slow machine.
    await callUnchecked(`/jobs/${large.body.job_id}`, { method: "DELETE", headers: many.headers })
    const second = await waitForJobEnd(large.body.job_id, many.headers)
    expect(Date.parse(first.completed_at ?? "")).toBeLessThan(Date.parse(second.completed_at ?? ""))
  })

  test("streams its progress", async () => {
    const { body } = await submit({ emails: [...list(30, 50_000), "alice+watched@greylist.test"] })
    const response = await fetch(`${inject("stackUrl")}/jobs/${body.job_id}/events`, { headers: key.headers })
    expect(response.headers.get("content-type")).toContain("text/event-stream")
    const events = (await response.text()).split("\n\n").filter((event) => event.startsWith("event:"))
    expect(events.at(-1)).toMatch(/^event: complete\ndata: \{.*"progress":31/)
  })

  test("is visible to its own account only", async () => {
    const { body } = await submit({ emails: ["user1@d0001.test"] })
    const other = await newAccount()
    const unknown = await callUnchecked("/jobs/job_ffffffffffffffffffffffff", { headers: other.headers })
    for (const [method, more] of [
      ["GET", ""],
      ["DELETE", ""],
      ["GET", "/dead-letter"],
      ["POST", "/resume"],
      ["GET", "/events"],
    ] as const) {
      const answer = await callUnchecked(`/jobs/${body.job_id}${more}`, { method, headers: other.headers })
      expect([answer.status, answer.body]).toEqual([404, unknown.body])
    }
    expect((await callUnchecked("/validate/bulk/async", postJson({ emails: ["a@mailbox.test"] }))).status).toBe(401)
  })

  test("as a sample projects the composition of the list, for the price of the sample", async () => {
    const own = await newAccount()
    const emails = [...list(900, 60_000), ...Array.from({ length: 100 }, (_, n) => `broken ${n}`)]
    const { body } = await submit({ sample: true, emails }, own.headers)
    const { projection, sampled } = body as unknown as {
      sampled: number
      projection: { status: string; share: number; low: number; high: number }[]
    }
    expect(sampled).toBe(30)
    const share = (status: string) => projection.find((one) => one.status === status)!
    expect(share("invalid_syntax")).toMatchObject({ share: 0.1, low: 0.1, high: 0.1 })
    // A 95 % interval misses one list in twenty. The bound of 0.3 is four standard deviations.
    const { low, high, share: valid } = share("valid")
    expect(Math.abs(valid - 0.72)).toBeLessThan(0.3)
    expect([low < valid, valid < high]).toEqual([true, true])
    expect(projection.reduce((sum, one) => sum + one.share, 0)).toBeCloseTo(1)
    expect(await usedBy(own)).toBe(30)
  })
})

describe("a body that is not a list creates nothing", () => {
  const million = `{"emails":[${list(20_000, 70_000)
    .map((email) => `"${email}"`)
    .join(",")}`
  test.each([
    ["no addresses", '{"emails":[]}', 422],
    ["null", '{"emails":null}', 422],
    ["an array", '["a@mailbox.test"]', 422],
    ["a number in the list", '{"emails":["a@mailbox.test",1]}', 422],
    ["a list in the list", '{"emails":[["a@mailbox.test"]]}', 422],
    ["an invalid switch", '{"emails":["a@mailbox.test"],"smtp":1}', 422],
    ["an end within 9 seconds", '{"emails":["a@mailbox.test"],"finish_within":9}', 422],
    ["an end within more than a day", '{"emails":["a@mailbox.test"],"finish_within":86401}', 422],
    ["an end within half seconds", '{"emails":["a@mailbox.test"],"finish_within":10.5}', 422],
    ["a private webhook address", '{"emails":["a@mailbox.test"],"webhook_url":"http://127.0.0.1/"}', 422],
    ["cut after 20,000 addresses", `${million},"user`, 422],
    ["malformed after 20,000 addresses", `${million},null]}`, 422],
    ["not UTF-8", new Uint8Array([...new TextEncoder().encode('{"emails":["'), 0xff, 0x22, 0x5d, 0x7d]), 422],
  ])("%s", async (_, body, status) => {
    const own = await newAccount()
    const answer = await call("POST", "/validate/bulk/async", { body, headers: json(own.headers) })
    expect(answer.status).toBe(status)
    expect(answer.body).toMatchObject({ detail: [{ loc: expect.arrayContaining(["body"]) }] })
    expect(await usedBy(own)).toBe(0)
  })

  const TOO_LONG = `{"emails":["${"a".repeat(100_000_001)}`
  test.each<[string, () => RequestInit]>([
    ["with a declared length", () => ({ body: TOO_LONG })],
    ["without one", () => ({ body: new Blob([TOO_LONG]).stream(), duplex: "half" })],
  ])("over 100 MB is 413, %s", async (_, init) => {
    const answer = await callUnchecked("/validate/bulk/async", {
      method: "POST",
      headers: json(key.headers),
      ...init(),
    })
    expect(answer.status).toBe(413)
    expect(answer.body).toEqual({ detail: expect.any(String), code: "payload_too_large" })
  })

  test("beyond the remaining credits is refused as a whole", async () => {
    const free = await newAccount("free")
    const answer = await submit({ emails: list(101, 90_000) }, free.headers)
    expect(answer.status).toBe(402)
    expect(await usedBy(free)).toBe(0)
    const fits = await submit({ emails: list(20, 90_000) }, free.headers)
    expect(fits.status).toBe(200)
    await waitForJobEnd(fits.body.job_id, free.headers)
    expect(await usedBy(free)).toBe(20)
  })
})

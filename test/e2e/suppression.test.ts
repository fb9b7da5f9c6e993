import { describe, expect, test } from "vitest"
import { asAdmin, newKey, type TestKey, withKey } from "../support/stack/account.ts"
import { type CallInit, call, postJson } from "../support/stack/api.ts"
import { canSend, everywhere } from "../support/stack/can-send.ts"
import { verifyAndStore } from "../support/stack/stored.ts"

type Body = Record<string, unknown>

const encoded = encodeURIComponent
const add = (key: TestKey, entry: Body) => call("POST", "/suppression/add", withKey(key, postJson(entry)))
const check = async (init: CallInit, email: string) =>
  (await call("GET", "/suppression/check", { ...init, at: `/suppression/check?email=${encoded(email)}` })).body
const remove = (init: CallInit, email: string) =>
  call("DELETE", "/suppression/{email}", { ...init, at: `/suppression/${encoded(email)}` })
describe("a suppressed address", () => {
  test("is not sendable from the next answer, cached or not, until it is removed", async () => {
    const key = await newKey()
    const email = "user1@d0201.test"
    expect(await canSend(withKey(key), email)).toEqual(everywhere(true))

    await add(key, { email, reason: "manual", source: "crm" })
    expect(await canSend(withKey(key), email)).toEqual(everywhere(false))
    expect(await canSend(withKey(key), email.toUpperCase())).toEqual(everywhere(false))

    expect((await remove(withKey(key), email)).body).toMatchObject({ status: "removed" })
    expect(await canSend(withKey(key), email)).toEqual(everywhere(true))
  })

  test("is reported with its reason, source and end, and whether it is permanently unsendable", async () => {
    const key = await newKey()
    const email = "user2@d0201.test"
    expect(await check(withKey(key), email)).toEqual({
      ...{ email, repaired: [] },
      is_suppressed: false,
      reason: null,
      should_never_send: false,
      suppressed_at: null,
      expires_at: null,
      source: null,
      note: null,
      list: null,
      domain: null,
      entries: [],
    })
    await add(key, { email, reason: "soft_bounce", expires_in_days: 7 })
    const soft = await check(withKey(key), email)
    expect(soft).toMatchObject({
      is_suppressed: true,
      reason: "soft_bounce",
      should_never_send: false,
      list: "account",
    })
    const lasts = Date.parse(soft.expires_at as string) - Date.parse(soft.suppressed_at as string)
    expect(lasts).toBe(7 * 86_400_000)

    await add(key, { email, reason: "unsubscribe", source: "form" })
    expect(await check(withKey(key), email)).toMatchObject({
      reason: "unsubscribe",
      source: "form",
      should_never_send: true,
      suppressed_at: soft.suppressed_at,
      expires_at: null,
    })
    await add(key, { email, reason: "manual", expires_in_days: 1 })
    expect(await check(withKey(key), email)).toMatchObject({ reason: "unsubscribe", source: "form", expires_at: null })
  })

  test("with suppression=false has the answer of an address without suppression", async () => {
    const key = await newKey()
    const email = "user3@d0201.test"
    await verifyAndStore(key, email)
    await add(key, { email, reason: "manual" })
    const {
      turbo,
      "/verify/quick": quick,
      "/score": score,
      ...rest
    } = await canSend(withKey(key), email, "&suppression=false")
    expect(Object.values(rest)).toEqual([true, true, true, true])
    expect([turbo, quick, score]).toEqual([false, false, false])
  })

  test("is suppressed for its account only", async () => {
    const [mine, theirs] = [await newKey(), await newKey()]
    const email = "user4@d0201.test"
    await add(mine, { email, reason: "manual" })
    expect(await canSend(withKey(mine), email)).toEqual(everywhere(false))
    expect(await canSend(withKey(theirs), email)).toEqual(everywhere(true))
    expect(await canSend({}, email)).toEqual(everywhere(true))
    expect((await remove(withKey(theirs), email)).status).toBe(404)
    expect(await check(withKey(theirs), email)).toMatchObject({ is_suppressed: false })
    expect(await canSend(withKey(mine), email)).toEqual(everywhere(false))
  })
})

describe("lists and jobs", () => {
  interface Job {
    readonly status: string
    readonly results: { checks: { email: string; can_send: boolean } }[] | null
  }

  test("a completed job shows current suppressions", async () => {
    const key = await newKey()
    const emails = ["user1@d1841.test", "user2@d1841.test"]
    const submitted = await call<{ job_id: string }>("POST", "/validate/bulk/async", withKey(key, postJson({ emails })))
    const at = `/jobs/${submitted.body.job_id}`
    const job = async () => (await call<Job>("GET", "/jobs/{job_id}", withKey(key, { at }))).body
    await expect.poll(async () => (await job()).status).toBe("complete")
    const decisions = async () => (await job()).results!.map(({ checks }) => checks.can_send)
    expect(await decisions()).toEqual([true, true])
    await add(key, { email: emails[1]!, reason: "unsubscribe" })
    expect(await decisions()).toEqual([true, false])
  })

  test("an account's suppression never enters the shared result, in any kind of verification", async () => {
    const [key, other] = [await newKey(), await newKey()]
    const email = "user3@d1841.test"
    await add(key, { email, reason: "manual" })
    await call("POST", "/validate/bulk", withKey(key, postJson({ emails: [email], check_suppression: true })))
    expect(await canSend(withKey(key), email)).toEqual(everywhere(false))
    expect(await canSend(withKey(other), email)).toEqual(everywhere(true))
  })
})

describe("the operator's list", () => {
  test("applies to all accounts and anonymous callers, and only the operator removes an entry", async () => {
    const key = await newKey()
    const email = "user5@d0201.test"
    expect(await canSend({}, email)).toEqual(everywhere(true))
    const entry = { email, reason: "spam_complaint", source: "complaint of another customer" }
    const added = await call("POST", "/suppression/add", asAdmin(postJson(entry)))
    expect(added.status).toBe(200)
    expect(await canSend({}, email)).toEqual(everywhere(false))
    expect(await canSend(withKey(key), email)).toEqual(everywhere(false))
    // The operator's source is visible to the operator only.
    expect(await check(withKey(key), email)).toMatchObject({ is_suppressed: true, list: "operator", source: null })
    expect(await check(asAdmin(), email)).toMatchObject({ list: "operator", source: entry.source })
    expect((await remove(withKey(key), email)).status).toBe(404)
    // An account may add its own entry next to the operator's. The second add, with an end, has the same answer.
    for (const expires_in_days of [null, 1])
      expect((await add(key, { email, reason: "manual", expires_in_days })).body.message).toMatch(
        / is on your suppression list, permanently/,
      )
    expect((await remove(withKey(key), email)).body.message).toMatch(
      / is no longer on your suppression list; an entry of the operator still suppresses it$/,
    )
    expect((await remove(asAdmin(), email)).status).toBe(200)
    expect(await canSend({}, email)).toEqual(everywhere(true))
  })
})

describe("an invalid request", () => {
  test.each(["nonsense", "a b@mailbox.test", "@mailbox.test", "a@", ""])("%j is 400", async (email) => {
    const key = await newKey()
    expect((await add(key, { email, reason: "manual" })).status).toBe(400)
    const at = `/suppression/check?email=${encoded(email)}`
    expect((await call("GET", "/suppression/check", withKey(key, { at }))).status).toBe(400)
    if (email !== "") expect((await remove(withKey(key), email)).status).toBe(400)
  })

  test.each([
    [{ email: "a@mailbox.test" }, "reason"],
    [{ email: "a@mailbox.test", reason: "hard" }, "reason"],
    [{ reason: "manual" }, "email"],
    [{ email: "a@mailbox.test", reason: "manual", expires_in_days: 0 }, "expires_in_days"],
    [{ email: "a@mailbox.test", reason: "manual", expires_in_days: 1.5 }, "expires_in_days"],
    [{ email: "a@mailbox.test", reason: "manual", source: "x".repeat(201) }, "source"],
  ])("%j is 422 at %s", async (entry, field) => {
    const { status, body } = await add(await newKey(), entry)
    expect(status).toBe(422)
    expect(body).toMatchObject({ detail: [{ loc: ["body", field] }] })
  })

  test("a key is required", async () => {
    for (const [method, path, at] of [
      ["GET", "/suppression/check", "/suppression/check?email=a@mailbox.test"],
      ["DELETE", "/suppression/{email}", "/suppression/a%40mailbox.test"],
      ["GET", "/suppression/stats", "/suppression/stats"],
      ["GET", "/suppression/export", "/suppression/export"],
      ["GET", "/suppression", "/suppression"],
      ["DELETE", "/suppression/domains/{domain}", "/suppression/domains/mailbox.test"],
      ["POST", "/suppression/import", "/suppression/import"],
    ] as const)
      expect((await call(method, path, { at })).status, path).toBe(401)
  })
})

test("unusual but well-formed addresses work in the path", async () => {
  const key = await newKey()
  for (const email of [
    "a+b@mailbox.test",
    "a/b@mailbox.test",
    "a%25b@mailbox.test",
    '"a b"@mailbox.test',
    "jörg@mailbox.test",
  ]) {
    expect((await add(key, { email, reason: "manual" })).status, email).toBe(200)
    expect(await check(withKey(key), email), email).toMatchObject({ is_suppressed: true })
    expect((await remove(withKey(key), email)).status, email).toBe(200)
    expect(await check(withKey(key), email), email).toMatchObject({ is_suppressed: false })
  }
})

describe("suppression lists as CSV", () => {
  const importCsv = (key: TestKey, csv: string, query = "") =>
    call<{ added: number; rejected: { row: number; reason: string }[] }>(
      "POST",
      "/suppression/import",
      withKey(key, {
        at: `/suppression/import${query}`,
        method: "POST",
        headers: { "content-type": "text/csv" },
        body: csv,
      }),
    )
  const exportCsv = async (key: TestKey) => (await call("GET", "/suppression/export", withKey(key))).text

  test("an imported list applies at once, and is exported unchanged", async () => {
    const [key, email] = [await newKey(), "user6@d0201.test"]
    await verifyAndStore(key, email)
    const csv = [
      "Name;E-Mail;reason;expires_in_days",
      `"A; B";${email};unsubscribe;`,
      "C;=cmd@d0201.test;;30",
      "D;not an address;manual;",
      "E;e@d0201.test;because;soon",
      "",
    ].join("\r\n")
    const { body } = await importCsv(key, csv, "?source=old%20list")
    expect(body).toMatchObject({ added: 2, rejected: [{ row: 4 }, { row: 5 }] })
    expect(await canSend(withKey(key), email)).toEqual(everywhere(false))
    expect((await call("GET", "/suppression/stats", withKey(key))).body).toEqual({
      list: "account",
      total: 2,
      permanent: 1,
      temporary: 1,
      added_last_30_days: 2,
      by_reason: { hard_bounce: 0, soft_bounce: 0, spam_complaint: 0, unsubscribe: 1, manual: 1 },
    })
    const lines = (await exportCsv(key)).trim().split("\r\n")
    expect(lines[0]).toBe("email,reason,source,suppressed_at,expires_at,domain,note")
    expect(lines.slice(1).toSorted()).toEqual([
      expect.stringMatching(/^"'=cmd@d0201\.test",manual,old list,\d{4}-.*Z,\d{4}-.*Z,,$/),
      expect.stringMatching(/^user6@d0201\.test,unsubscribe,old list,\d{4}-.*Z,,,$/),
    ])
    const other = await newKey()
    expect((await importCsv(other, await exportCsv(key))).body).toMatchObject({ added: 2, rejected: [] })
    const { expires_at } = await check(withKey(key), "=cmd@d0201.test")
    expect(await check(withKey(other), "=cmd@d0201.test")).toMatchObject({
      is_suppressed: true,
      reason: "manual",
      expires_at,
    })
    await importCsv(key, await exportCsv(key))
    expect(await check(withKey(key), "=cmd@d0201.test")).toMatchObject({ expires_at })
  })

  test("a plain list of addresses is accepted, up to 1,000 rows, and an export has all pages", async () => {
    const key = await newKey()
    const rows = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => `user${from + i}@d0202.test`).join("\n")
    expect((await importCsv(key, rows(0, 1_001))).status).toBe(400)
    expect((await importCsv(key, rows(0, 1_000), "?reason=hard_bounce")).body.added).toBe(1_000)
    expect((await importCsv(key, rows(1_000, 1_200))).body.added).toBe(200)
    const lines = (await exportCsv(key)).trim().split("\r\n").slice(1)
    expect(new Set(lines.map((line) => line.split(",")[0])).size).toBe(1_200)
  })

  test.each([
    ["an unknown reason", "a@mailbox.test", "?reason=because", 422],
    ["no addresses", "x,y\n1,2", "", 400],
    ["an open quote", '"a@mailbox.test\n', "", 400],
    ["more than a megabyte", "a@mailbox.test\n".repeat(80_000), "", 413],
  ])("%s is refused", async (_, csv, query, status) => {
    expect((await importCsv(await newKey(), csv, query)).status).toBe(status)
  })
})

import { describe, expect, test } from "vitest"
import { asAdmin, newKey, type TestKey, withKey } from "../support/stack/account.ts"
import { type CallInit, call, callUnchecked, postJson } from "../support/stack/api.ts"
import { canSend, everywhere } from "../support/stack/can-send.ts"

type Body = Record<string, unknown>

const add = (init: CallInit, entry: Body) =>
  call("POST", "/suppression/add", { ...init, ...postJson(entry), headers: { ...init.headers, ...JSON_TYPE } })
const JSON_TYPE = { "content-type": "application/json" }
const check = async (init: CallInit, email: string) =>
  (await call("GET", "/suppression/check", { ...init, at: `/suppression/check?email=${encodeURIComponent(email)}` }))
    .body
const removeDomain = (init: CallInit, domain: string) =>
  call("DELETE", "/suppression/domains/{domain}", {
    ...init,
    at: `/suppression/domains/${encodeURIComponent(domain)}`,
  })
const remove = (init: CallInit, email: string) =>
  call("DELETE", "/suppression/{email}", { ...init, at: `/suppression/${encodeURIComponent(email)}` })
const importCsv = (key: TestKey, csv: string) =>
  call(
    "POST",
    "/suppression/import",
    withKey(key, { at: "/suppression/import", method: "POST", headers: { "content-type": "text/csv" }, body: csv }),
  )

describe("an entry for a whole domain", () => {
  test.each(["d0205.test", "@d0205.test", "*@D0205.test."])(
    "%s suppresses its addresses in every path",
    async (domain) => {
      const key = await newKey()
      const init = withKey(key)
      const email = "user1@d0205.test"
      expect(await canSend(init, email)).toEqual(everywhere(true))
      const { status, body } = await add(init, { domain, reason: "manual", source: "legal" })
      expect([status, body]).toMatchObject([
        200,
        {
          status: "added",
          change: "added",
          kept: [],
          repaired: [],
          entry: { email: null, domain: "d0205.test", reason: "manual", source: "legal", expires_at: null },
        },
      ])
      expect(body.message).toBe("every address at d0205.test is on your suppression list, permanently")
      expect(await canSend(init, email)).toEqual(everywhere(false))
      expect(await canSend(init, "User2@D0205.test")).toEqual(everywhere(false))
      expect(await canSend(init, "user1@d0206.test")).toEqual(everywhere(true))
      expect(await canSend(withKey(await newKey()), email)).toEqual(everywhere(true))
      expect(await canSend({}, email)).toEqual(everywhere(true))

      expect((await removeDomain(init, domain)).body).toMatchObject({
        status: "removed",
        removed: { email: null, domain: "d0205.test", reason: "manual" },
        still_suppressed: false,
      })
      expect(await canSend(init, email)).toEqual(everywhere(true))
      expect((await removeDomain(init, domain)).status).toBe(404)
    },
  )

  test("is an own domain's entry only: a subdomain is another domain", async () => {
    const init = withKey(await newKey())
    await add(init, { domain: "d0205.test", reason: "manual" })
    expect(await check(init, "a@mail.d0205.test")).toMatchObject({ is_suppressed: false, entries: [] })
    expect(await check(init, "a@d0205.test")).toMatchObject({ is_suppressed: true, domain: "d0205.test" })
  })

  test("is found by both spellings of an international domain", async () => {
    const init = withKey(await newKey())
    expect((await add(init, { domain: "*@bücher.test", reason: "manual" })).body).toMatchObject({
      entry: { domain: "xn--bcher-kva.test" },
    })
    for (const email of ["a@bücher.test", "a@xn--bcher-kva.test"])
      expect(await check(init, email), email).toMatchObject({ is_suppressed: true, domain: "xn--bcher-kva.test" })
  })

  test("stands beside an address's own entry, and each is removed alone", async () => {
    const init = withKey(await newKey())
    const email = "user2@d0205.test"
    await add(init, { email, reason: "soft_bounce", expires_in_days: 3 })
    expect(await check(init, email)).toMatchObject({ should_never_send: false })
    await add(init, { domain: "d0205.test", reason: "unsubscribe" })
    expect(await check(init, email)).toMatchObject({
      reason: "soft_bounce",
      should_never_send: true,
      domain: null,
      entries: [
        { list: "account", domain: null, reason: "soft_bounce" },
        { list: "account", domain: "d0205.test", reason: "unsubscribe", expires_at: null },
      ],
    })
    const removed = await remove(init, email)
    expect(removed.body).toMatchObject({
      removed: { email, reason: "soft_bounce" },
      reports_withdrawn: false,
      still_suppressed: true,
      entries: [{ domain: "d0205.test" }],
    })
    expect(removed.body.message).toMatch(/; the entry for the domain d0205\.test still suppresses it$/)
    expect(await canSend(init, email)).toEqual(everywhere(false))
    const again = await remove(init, email)
    expect([again.status, again.body.detail]).toEqual([404, expect.stringContaining("the entry for the domain")])
  })

  test("of the operator applies to every caller", async () => {
    const key = await newKey()
    const email = "user3@d0206.test"
    expect(await canSend({}, email)).toEqual(everywhere(true))
    await add(asAdmin(), { domain: "@d0206.test", reason: "spam_complaint", source: "police" })
    try {
      for (const init of [{}, withKey(key)]) expect(await canSend(init, email)).toEqual(everywhere(false))
      expect(await check(withKey(key), email)).toMatchObject({ list: "operator", domain: "d0206.test", source: null })
      expect((await removeDomain(withKey(key), "d0206.test")).status).toBe(404)
    } finally {
      expect((await removeDomain(asAdmin(), "d0206.test")).status).toBe(200)
    }
    expect(await canSend({}, email)).toEqual(everywhere(true))
  })

  test("applies to lists, to the pages and the report of a finished job, and to its download", async () => {
    const key = await newKey()
    const init = withKey(key)
    const emails = ["user4@d0205.test", "user4@d0206.test"]
    const submitted = await call<{ job_id: string }>("POST", "/validate/bulk/async", withKey(key, postJson({ emails })))
    const at = `/jobs/${submitted.body.job_id}`
    const job = async () =>
      (await call<{ status: string; results: { checks: Body }[] }>("GET", "/jobs/{job_id}", withKey(key, { at }))).body
    await expect.poll(async () => (await job()).status).toBe("complete")
    await add(init, { domain: "d0205.test", reason: "manual" })
    expect((await job()).results.map(({ checks }) => checks.can_send)).toEqual([false, true])
    const bulk = await call<{ results: Body[] }>(
      "POST",
      "/validate/bulk",
      withKey(key, postJson({ emails, check_suppression: true })),
    )
    expect(bulk.body.results.map(({ is_suppressed }) => is_suppressed)).toEqual([true, false])
    const file = `/bulk/download/${submitted.body.job_id}?format=csv`
    const { text } = await callUnchecked(file, init)
    const [header = "", ...lines] = text.trim().split("\r\n")
    const column = header.split(",").indexOf("can_send")
    expect(lines.map((line) => line.split(",")[column])).toEqual(["false", "true"])
    const report = `/bulk/${submitted.body.job_id}/report`
    const { text: shown } = await call("GET", "/bulk/{job_id}/report", withKey(key, { at: report }))
    expect(shown).toContain('"sendable":1')
  })
})

describe("a malformed domain or address", () => {
  test.each([
    [{ domain: "nonsense..test" }, 400],
    [{ domain: "a@mailbox.test" }, 400],
    [{ domain: "" }, 400],
    [{ email: "@mailbox.test" }, 400],
    [{ email: "a@mailbox.test", domain: "mailbox.test" }, 422],
    [{}, 422],
  ])("%j is %i", async (entry, status) => {
    expect((await add(withKey(await newKey()), { ...entry, reason: "manual" })).status).toBe(status)
  })
})

describe("domains in a CSV", () => {
  test("come from their own column, with @, and are exported and imported unchanged", async () => {
    const [key, other] = [await newKey(), await newKey()]
    const csv = [
      "email,domain,reason",
      "user5@d0205.test,d0205.test,unsubscribe",
      ",*@d0206.test,hard_bounce",
      ",@d0207.test,",
      ",d0208.test,",
      "user6@d0205.test,@d0205.test,",
      ",@nonsense..test,",
      "@d0209.test,,",
    ].join("\n")
    const { body } = await importCsv(key, csv)
    expect(body).toMatchObject({ added: 3, updated: 0, kept: 0, duplicates: 0, repaired: 0 })
    expect(body.rejected).toEqual([
      { row: 5, reason: "write *@d0208.test to suppress every address of the domain" },
      { row: 6, reason: "email and domain exclude each other; send one" },
      { row: 7, reason: expect.stringContaining("not a domain: ") },
      { row: 8, reason: expect.stringContaining("not an address: ") },
    ])
    const expected = [
      ["user5@d0205.test", true],
      ["user6@d0205.test", false],
      ["any@d0206.test", true],
      ["any@d0207.test", true],
      ["any@d0208.test", false],
    ] as const
    for (const [email, is_suppressed] of expected)
      expect(await check(withKey(key), email), email).toMatchObject({ is_suppressed })
    const { text } = await call("GET", "/suppression/export", withKey(key))
    expect(text).toMatch(/^,hard_bounce,import,\d{4}-.*Z,,\*@d0206\.test,\r$/m)
    expect((await importCsv(other, text)).body).toMatchObject({ added: 3, rejected: [] })
    for (const [email, is_suppressed] of expected)
      expect(await check(withKey(other), email), email).toMatchObject({ is_suppressed })
  })

  test("may be the only column", async () => {
    const key = await newKey()
    expect((await importCsv(key, "domain\n*@d0206.test\n@d0207.test\n")).body).toMatchObject({ added: 2, rejected: [] })
  })
})

test("erasing a domain's data keeps the entry for the domain, and says so", async () => {
  const key = await newKey()
  const init = withKey(key)
  await add(init, { domain: "d0207.test", reason: "unsubscribe" })
  await add(init, { email: "user1@d0207.test", reason: "unsubscribe" })
  const at = "/gdpr/domain?domain=d0207.test"
  const erased = await call("DELETE", "/gdpr/domain", withKey(key, { at }))
  expect([erased.status, erased.body.kept]).toEqual([200, expect.stringContaining("suppression of a whole domain")])
  expect(await check(init, "user1@d0207.test")).toMatchObject({
    domain: "d0207.test",
    entries: [{ domain: "d0207.test" }],
  })
})

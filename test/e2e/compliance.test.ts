import { sql } from "drizzle-orm"
import { beforeAll, describe, expect, inject, test } from "vitest"
import { openDatabase } from "../../src/adapters/store/database.ts"
import { filesWith } from "../support/deps/stored-bytes.ts"
import { asAdmin, newKey, type TestKey, withKey } from "../support/stack/account.ts"
import { type CallInit, call, callUnchecked, postJson } from "../support/stack/api.ts"
import { waitForJobEnd } from "../support/stack/jobs.ts"
import { untilStored } from "../support/stack/stored.ts"

const database = () => openDatabase(inject("database"))

interface Erasure {
  readonly complete: boolean
  readonly kept: string
  readonly tables: { table: string; removed: number; blanked: number }[]
}
interface Trail {
  readonly verified: boolean
  readonly broken_at: number | null
  readonly entries: { seq: number; action: string; actor: string; subject: string; details: Record<string, unknown> }[]
}
interface Exported {
  readonly data: Record<string, Record<string, unknown>[]>
}

const trail = async (query = "") =>
  (await call<Trail>("GET", "/compliance/audit-trail", asAdmin({ at: `/compliance/audit-trail${query}` }))).body

describe("an erased address", () => {
  const local = `user-erase-${crypto.randomUUID().slice(0, 8)}`
  const email = `${local}@d0910.test`
  const other = `user-stays-${crypto.randomUUID().slice(0, 8)}@d0910.test`
  let key: TestKey

  /** Causes the service to store the address in every place it uses. */
  beforeAll(async () => {
    key = await newKey()
    const verify = (address: string) =>
      call("GET", "/validate", withKey(key, { at: `/validate?email=${encodeURIComponent(address)}` }))
    const retried = postJson({ email })
    await call(
      "POST",
      "/validate",
      withKey(key, { ...retried, headers: { ...retried.headers, "idempotency-key": local } }),
    )
    await verify(email)
    await verify(`${local.toUpperCase()}@D0910.test`)
    await verify(other)
    await untilStored(email, other)
    await call("GET", "/validate/fast", withKey(key, { at: `/validate/fast?email=${email}` }))
    const quick = `/verify/quick?email=${email}&webhook_url=http://${inject("webhookHost")}/erased`
    expect((await call("GET", "/verify/quick", withKey(key, { at: quick }))).status).toBe(200)
    const job = await call<{ job_id: string }>(
      "POST",
      "/validate/bulk/async",
      withKey(key, postJson({ emails: [email, other], webhook_url: `http://${inject("webhookHost")}/erased` })),
    )
    const form = new FormData()
    form.set("file", new Blob([`name;email\r\nX;${email}\r\nY;${other}\r\n`], { type: "text/csv" }), "list.csv")
    const upload = await call<{ job_id: string }>("POST", "/bulk/upload", withKey(key, { body: form }))
    await call(
      "POST",
      "/bounce",
      withKey(key, postJson({ email, bounce_type: "hard_bounce", bounce_code: "550 5.1.1" })),
    )
    await call("POST", "/received", withKey(key, { at: `/received?email=${email}` }))
    await call("POST", "/suppression/add", asAdmin(postJson({ email, reason: "manual", source: `asked by ${email}` })))
    const sent = postJson({ email })
    await call("POST", "/auth/request", { ...sent, headers: { ...sent.headers, "x-real-ip": "10.98.7.6" } })
    await call("POST", "/keys", asAdmin(postJson({ name: "x", owner_email: email })))
    for (const { body } of [job, upload]) await waitForJobEnd(body.job_id, { "x-api-key": key.secret })
  })

  const exported = async (init: CallInit) =>
    (await call<Exported>("GET", "/gdpr/export", { ...init, at: `/gdpr/export?email=${encodeURIComponent(email)}` }))
      .body

  test("is stored in every place, and an export contains it", async () => {
    expect(await filesWith(email)).toEqual([expect.stringContaining("database")])
    const { data } = await exported(asAdmin())
    for (const table of ["results", "verifications", "job_items", "job_rows", "pending_verifications", "suppressions"])
      expect(Object.keys(data), table).toContain(table)
    for (const table of ["feedback", "address_feedback", "outbound_events", "idempotency", "sign_in_links", "api_keys"])
      expect(Object.keys(data), table).toContain(table)
    expect(JSON.stringify(data)).not.toContain(other)
  })

  test("is visible to an account only in the account's own rows", async () => {
    const stranger = await newKey()
    expect((await exported(withKey(stranger))).data).toEqual({})
    const own = await exported(withKey(key))
    expect(Object.keys(own.data)).toEqual(expect.arrayContaining(["results", "verifications", "suppressions"]))
    expect(Object.keys(own.data)).not.toContain("sign_in_links")
    expect(own.data.suppressions).toHaveLength(1)
    expect((await call("GET", "/gdpr/export", { at: `/gdpr/export?email=${email}` })).status).toBe(401)
  })

  test("remains in no database row and in no file of the Worker", async () => {
    const stranger = await newKey()
    const foreignErasure = await call<Erasure>("POST", "/gdpr/erase", withKey(stranger, postJson({ email })))
    expect(foreignErasure.body.tables).toEqual([])
    // Stored retries are found by a keyed hash only, so an account's erasure cannot identify its own.
    expect(foreignErasure.body.kept).toMatch(/Idempotency-Key .* within a day/)
    expect(await filesWith(email)).not.toEqual([])

    const erased = await call<Erasure>(
      "POST",
      "/gdpr/erase",
      asAdmin(postJson({ email: email.toUpperCase().replace("D0910.TEST", "d0910.test") })),
    )
    expect(erased.body).toMatchObject({ complete: true, scope: "service" })
    expect(erased.body.kept).not.toMatch(/retries/)
    expect(await filesWith(email)).toEqual([])
    expect(await filesWith(local)).toEqual([])
    expect(await filesWith(other)).not.toEqual([])
    expect((await call("GET", "/validate/fast", { at: `/validate/fast?email=${email}` })).status).toBe(404)
    expect((await call("GET", "/validate/fast", { at: `/validate/fast?email=${other}` })).status).toBe(200)
  })

  test("stays suppressed after a bounce, by its hash alone", async () => {
    const check = await call("GET", "/suppression/check", withKey(key, { at: `/suppression/check?email=${email}` }))
    expect(check.body).toMatchObject({ is_suppressed: true, reason: "hard_bounce", source: null })
    const left = (await exported(asAdmin())).data
    expect(Object.keys(left)).toEqual(["suppressions"])
    expect(left.suppressions).toMatchObject([{ address: null, source: null, reason: "hard_bounce" }])
    const verified = await call("GET", "/validate", withKey(key, { at: `/validate?email=${email}` }))
    expect(verified.body).toMatchObject({ checks: { can_send: false } })
    expect((await call("DELETE", "/gdpr/erase", asAdmin({ at: `/gdpr/erase?email=${email}` }))).status).toBe(200)
  })

  test("leaves its jobs complete: as many results as before, one of them without an address", async () => {
    const list = await call<{ jobs: { job_id: string }[] }>("GET", "/bulk/jobs", withKey(key))
    const job = list.body.jobs[0]!.job_id
    const { body } = await call<{ results: { checks: { email: string } }[] }>(
      "GET",
      "/jobs/{job_id}",
      withKey(key, { at: `/jobs/${job}` }),
    )
    expect(body.results.map(({ checks }) => checks.email).toSorted()).toEqual(["", other])
    const download = await callUnchecked(`/bulk/download/${job}`, withKey(key))
    expect(download.status).toBe(200)
    expect(download.text).not.toContain(local)
  })

  test("is in the audit trail by its hash", async () => {
    const { verified, entries } = await trail("?action=data.erased&limit=1000")
    expect(verified).toBe(true)
    // Other suites erase and export at the same time, so only the whole history of a subject tells which is this address.
    const hashes = new Set(entries.map(({ subject }) => subject).filter((subject) => /^[0-9a-f]{64}$/.test(subject)))
    const histories = await Promise.all([...hashes].map((hash) => trail(`?subject=${hash}`)))
    const told = histories.map((history) => history.entries.map((one) => `${one.actor} ${one.action}`).join(", "))
    const own = ["admin exported", "account exported, account exported, account erased", "admin erased, admin exported"]
    expect(told.map((text) => text.replaceAll(/acc_\w+/g, "account").replaceAll("data.", ""))).toContain(
      `${own.join(", ")}, admin erased`.split(", ").reverse().join(", "),
    )
  })
})

test("malformed addresses and domains are refused", async () => {
  expect((await call("POST", "/gdpr/erase", asAdmin(postJson({ email: "nonsense" })))).status).toBe(400)
  expect((await call("DELETE", "/gdpr/domain", asAdmin({ at: "/gdpr/domain?domain=-.-" }))).status).toBe(400)
  expect((await call("GET", "/gdpr/export", asAdmin({ at: "/gdpr/export" }))).status).toBe(422)
})

test("erasing a domain erases all its addresses", async () => {
  const key = await newKey()
  for (const n of [1, 2, 3]) await call("GET", "/validate", withKey(key, { at: `/validate?email=user${n}@d0912.test` }))
  await expect
    .poll(
      async () =>
        (await call<Exported>("GET", "/gdpr/export", withKey(key, { at: "/gdpr/export?email=user3@d0912.test" }))).body
          .data,
    )
    .toHaveProperty("verifications")
  for (const domain of ["user1@d0912.test", "https://d0912.test/", "www.@d0912.test"])
    expect((await call("POST", "/gdpr/domain", asAdmin(postJson({ domain })))).status).toBe(400)
  await call("DELETE", "/gdpr/domain", asAdmin({ at: "/gdpr/domain?domain=www.d0912.test" }))
  expect((await call("GET", "/validate/fast", { at: "/validate/fast?email=user1@d0912.test" })).status).toBe(200)
  const erased = await call<Erasure>("POST", "/gdpr/domain", asAdmin(postJson({ domain: "d0912.test" })))
  expect(erased.body.complete).toBe(true)
  expect(await filesWith("@d0912.test")).toEqual([])
  expect((await call("GET", "/validate/fast", { at: "/validate/fast?email=user1@d0912.test" })).status).toBe(404)
})

describe("the audit trail", () => {
  test("records the changes of a key and the operator's calls, page by page", async () => {
    const key = await newKey()
    const me = await call<{ account_id: string }>("GET", "/auth/me", withKey(key))
    const rotated = await call<{ key_id: string; api_key: string }>(
      "POST",
      "/keys/{key_id}/rotate",
      withKey(key, { at: `/keys/${key.keyId}/rotate` }),
    )
    const next = { keyId: rotated.body.key_id, secret: rotated.body.api_key }
    await call("DELETE", "/keys/{key_id}", withKey(next, { at: `/keys/${next.keyId}` }))
    const actionsOn = async (subject: string) =>
      (await trail(`?subject=${subject}`)).entries.map(({ action, actor }) => ({ action, actor }))
    expect(await actionsOn(key.keyId)).toEqual([
      { action: "key.rotated", actor: me.body.account_id },
      { action: "key.created", actor: "admin" },
    ])
    expect(await actionsOn(next.keyId)).toEqual([{ action: "key.revoked", actor: me.body.account_id }])
    await call("POST", "/suppression/add", asAdmin(postJson({ email: "x@d0916.test", reason: "manual" })))
    await call("DELETE", "/suppression/{email}", asAdmin({ at: "/suppression/x%40d0916.test" }))
    const operator = (await trail("?actor=admin&limit=1000")).entries.map(({ action }) => action)
    expect(operator).toEqual(expect.arrayContaining(["suppression.added", "suppression.removed"]))
    await call("GET", "/admin/users", asAdmin())
    await call("GET", "/billing/usage/{customer_id}", asAdmin({ at: "/billing/usage/someone%40d0916.test" }))
    expect((await trail("?action=admin.call")).entries.map(({ details }) => details.call)).toContain("GET /admin/users")
    expect(/.{90}[\w.+-]+@[\w-]+\.\w.{20}/.exec(JSON.stringify(await trail("?limit=1000")))?.[0]).toBeUndefined()
  })

  test("is valid after many concurrent actions", async () => {
    await Promise.all(Array.from({ length: 12 }, () => newKey()))
    const { verified, entries } = await trail("?limit=1000")
    expect(verified).toBe(true)
    expect(entries.every(({ seq }, i) => i === 0 || seq === entries[i - 1]!.seq - 1)).toBe(true)
  })

  test("reports a changed row", async () => {
    const key = await newKey()
    const [entry] = (await trail(`?subject=${key.keyId}`)).entries
    const put = (actor: string) =>
      database().run(sql`UPDATE audit_trail SET actor = ${actor} WHERE seq = ${entry!.seq}`)
    await put("another actor")
    expect(await trail()).toMatchObject({ verified: false, broken_at: entry!.seq })
    await put("admin")
    expect(await trail()).toMatchObject({ verified: true, broken_at: null })
    const summary = await call("GET", "/compliance/summary", asAdmin())
    expect(summary.body).toMatchObject({ audit: { verified: true }, retention_days: 90 })
  })
})

test("erasing a customer erases all its data and its keys", async () => {
  const key = await newKey()
  const { body: me } = await call<{ account_id: string }>("GET", "/auth/me", withKey(key))
  await call("GET", "/validate", withKey(key, { at: "/validate?email=user1@d0913.test" }))
  await call("POST", "/bounce", withKey(key, postJson({ email: "user1@d0913.test", bounce_type: "hard_bounce" })))
  const remove = () =>
    call(
      "DELETE",
      "/compliance/customer-data/{customer_id}",
      asAdmin({ at: `/compliance/customer-data/${me.account_id}` }),
    )
  expect((await remove()).body).toMatchObject({ status: "erased", complete: true, customer_id: me.account_id })
  expect((await call("GET", "/keys", withKey(key))).status).toBe(401)
  expect((await remove()).status).toBe(404)
  const erasures = (await trail(`?subject=${me.account_id}&action=customer.erased`)).entries
  expect(erasures).toMatchObject([{ actor: "admin", details: { api_keys: 1, suppressions: 1 } }])
  expect((await call("GET", "/db/lookup", asAdmin({ at: "/db/lookup?email=user1@d0913.test" }))).status).toBe(200)
})

test("a purge removes results older than 90 days, and the status reports it", async () => {
  for (const email of ["user1@d0914.test", "user2@d0914.test"])
    await call("GET", "/validate", { at: `/validate?email=${email}` })
  await untilStored("user1@d0914.test", "user2@d0914.test")
  const old = Date.now() - 91 * 86_400_000
  await database().run(sql`UPDATE results SET verified_at = ${old} WHERE address = 'user1@d0914.test'`)
  const askedAt = Date.now()
  const purged = await call<Erasure>("POST", "/gdpr/purge", asAdmin())
  expect(purged.body.tables).toContainEqual({ table: "results", removed: 1, blanked: 0 })
  const stored = async (email: string) =>
    (await call("GET", "/db/lookup", asAdmin({ at: `/db/lookup?email=${email}` }))).status
  expect([await stored("user1@d0914.test"), await stored("user2@d0914.test")]).toEqual([404, 200])
  const status = await call<{ last_purge: string }>("GET", "/gdpr/status", asAdmin())
  expect(status.body).toMatchObject({ retention_days: 90, last_purge_rows: expect.any(Number) })
  expect(Date.parse(status.body.last_purge)).toBeGreaterThanOrEqual(askedAt)
})

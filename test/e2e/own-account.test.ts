import { sql } from "drizzle-orm"
import { describe, expect, inject, test } from "vitest"
import { ROWS_OF_ACCOUNT } from "../../schema/tables/account-tables.ts"
import { openDatabase } from "../../src/adapters/store/database.ts"
import { asAdmin, type TestKey, withKey } from "../support/stack/account.ts"
import { call, callUnchecked, postJson } from "../support/stack/api.ts"
import { sessionOf } from "../support/stack/sign-in.ts"

interface Owner {
  readonly email: string
  readonly session: { readonly authorization: string }
  readonly key: TestKey
  readonly accountId: string
}

async function newOwner(): Promise<Owner> {
  const email = `leaving-${crypto.randomUUID().slice(0, 8)}@inbox.test`
  const session = { authorization: `Bearer ${await sessionOf(email)}` }
  const init = postJson({ name: "mine", owner_email: email })
  const made = await call<{ api_key: string; key_id: string }>("POST", "/keys", {
    ...init,
    headers: { ...init.headers, ...session },
  })
  const key = { keyId: made.body.key_id, secret: made.body.api_key }
  const me = await call<{ account_id: string }>("GET", "/auth/me", { headers: session })
  return { email, session, key, accountId: me.body.account_id }
}

const remove = (confirm: string, headers: Record<string, string>) =>
  call("DELETE", "/me", { method: "DELETE", headers, at: `/me?confirm=${encodeURIComponent(confirm)}` })

describe("the owner of an account", () => {
  test("exports everything stored about it, without secrets", async () => {
    const { email, session, key, accountId } = await newOwner()
    await call("GET", "/validate", withKey(key, { at: "/validate?email=user1@d1845.test" }))
    await call("POST", "/bounce", withKey(key, postJson({ email: "user2@d1845.test", bounce_type: "hard" })))
    const listed = () => call<{ total: number }>("GET", "/me/recent-verifications", withKey(key))
    await expect.poll(async () => (await listed()).body.total).toBe(1)
    const { body, text } = await call("GET", "/me/export", { headers: session })
    expect(body).toMatchObject({
      ...{ account_id: accountId, email },
      data: {
        accounts: [{ account_id: accountId, email }],
        api_keys: [{ key_id: key.keyId, name: "mine" }],
        verifications: [{ address: "user1@d1845.test" }],
        suppressions: [{ address: "user2@d1845.test", reason: "hard_bounce" }],
      },
    })
    for (const column of ["digest", "token_hash", "sealed", "pepper_id", "address_hash"])
      expect(text).not.toContain(`"${column}"`)
    const byKey = await call("GET", "/me/export", withKey(key))
    expect(byKey).toMatchObject({ status: 403, body: { code: "session_required" } })
  })

  test("deletes it with all its data; the mailbox can open a new account", async () => {
    const { email, session, key, accountId } = await newOwner()
    await call("POST", "/bounce", withKey(key, postJson({ email: "user2@d1846.test", bounce_type: "hard" })))
    const refusals = [
      [email, { "x-api-key": key.secret }, 403],
      ["someone@inbox.test", session, 400],
      ["", session, 400],
    ] as const
    for (const [confirm, headers, status] of refusals) expect((await remove(confirm, headers)).status).toBe(status)
    expect((await callUnchecked("/me", { method: "DELETE", headers: session })).status).toBe(422)
    expect((await callUnchecked("/usage", withKey(key))).status).toBe(200)

    const deleted = await remove(email.toUpperCase().replace("INBOX.TEST", "inbox.test"), session)
    expect(deleted.body).toEqual({ status: "deleted", account_id: accountId, complete: true })
    expect(deleted.headers.get("set-cookie")).toContain("__Host-sid=;")
    for (const headers of [{ "x-api-key": key.secret }, session])
      expect((await callUnchecked("/usage", { headers })).status).toBe(401)

    const database = openDatabase(inject("database"))
    for (const [table, condition] of ROWS_OF_ACCOUNT) {
      const where = sql.raw(condition.replaceAll(":account", `'${accountId}'`))
      const rows = await database.all(sql`SELECT 1 FROM ${sql.identifier(table)} WHERE ${where}`)
      expect([table, rows]).toEqual([table, []])
    }
    const again = { authorization: `Bearer ${await sessionOf(email)}` }
    const me = await call<{ account_id: string }>("GET", "/auth/me", { headers: again })
    expect(me.body.account_id).not.toBe(accountId)
    const at = `/compliance/audit-trail?action=customer.erased&subject=${accountId}`
    const trail = await call("GET", "/compliance/audit-trail", asAdmin({ at }))
    expect(trail.body).toMatchObject({
      entries: [{ actor: accountId, details: { call: "DELETE /me", complete: true } }],
    })
    expect(trail.text).not.toContain("inbox.test")
  })

  test("needs a fresh session, because a stolen one is usually older", async () => {
    const { email, session, accountId, key } = await newOwner()
    const database = openDatabase(inject("database"))
    const minutes = (n: number) =>
      database.run(sql`UPDATE sessions SET created_at = ${Date.now() - n * 60_000} WHERE account_id = ${accountId}`)
    await minutes(16)
    const refused = await remove(email, session)
    expect(refused).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining("sign in again"), code: "session_too_old" },
    })
    expect((await callUnchecked("/usage", withKey(key))).status).toBe(200)
    await minutes(14)
    expect((await remove(email, session)).status).toBe(200)
  })

  test("cannot delete it while a subscription runs", async () => {
    const { email, session, accountId } = await newOwner()
    const database = openDatabase(inject("database"))
    const customer = `cus_${crypto.randomUUID()}`
    await database.run(sql`INSERT INTO billing_customers (customer_id, account_id) VALUES (${customer}, ${accountId})`)
    await database.run(sql`INSERT INTO subscriptions (subscription_id, customer_id, status, tier, told_at)
      VALUES (${`sub_${customer}`}, ${customer}, 'active', 'pro', 1)`)
    expect((await remove(email, session)).status).toBe(409)
    await database.run(sql`UPDATE subscriptions SET status = 'canceled' WHERE customer_id = ${customer}`)
    expect((await remove(email, session)).status).toBe(200)
  })
})

describe("DELETE /me/sessions", () => {
  const end = (session: string, query = "") =>
    call("DELETE", "/me/sessions", { at: `/me/sessions${query}`, headers: { authorization: `Bearer ${session}` } })
  const statusOf = async (headers: Record<string, string>) => (await call("GET", "/auth/me", { headers })).status
  const works = async (session: string) => (await statusOf({ authorization: `Bearer ${session}` })) === 200

  test("ends every session of the account, or all but this one, and no other account's", async () => {
    const email = `sessions-${crypto.randomUUID().slice(0, 8)}@inbox.test`
    const [one, two, three] = [await sessionOf(email), await sessionOf(email), await sessionOf(email)]
    const stranger = await sessionOf(`stranger-${email}`)
    const kept = await end(one, "?keep_current=true")
    expect(kept).toMatchObject({ status: 200, body: { status: "ended", ended: 2 } })
    expect(kept.headers.has("set-cookie")).toBe(false)
    expect(await Promise.all([one, two, three].map(works))).toEqual([true, false, false])

    const four = await sessionOf(email)
    const all = await end(one)
    expect(all.body).toEqual({ status: "ended", ended: 2 })
    expect(all.headers.get("set-cookie")).toContain("__Host-sid=;")
    expect(await Promise.all([one, four, stranger].map(works))).toEqual([false, false, true])
    expect((await end(one)).status).toBe(401)
  })

  test("is in the account's audit trail, and no call for a key", async () => {
    const { session, key } = await newOwner()
    expect((await callUnchecked("/me/sessions", withKey(key, { method: "DELETE" }))).status).toBe(403)
    expect((await end(session.authorization.replace("Bearer ", ""))).body).toMatchObject({ ended: 1 })
    expect(await statusOf({ "x-api-key": key.secret })).toBe(200)
    const at = "/me/audit-trail?action=account.sessions_ended"
    const { body } = await call<{ events: object[] }>("GET", "/me/audit-trail", withKey(key, { at }))
    expect(body.events).toMatchObject([{ action: "account.sessions_ended", by: "account" }])
  })
})

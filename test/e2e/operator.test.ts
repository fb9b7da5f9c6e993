import { describe, expect, test } from "vitest"
import { asAdmin, newKey, type TestKey, withKey } from "../support/stack/account.ts"
import { call, callUnchecked, postJson } from "../support/stack/api.ts"
import { sessionOf } from "../support/stack/sign-in.ts"
import { eventually } from "../support/time/until.ts"

interface User {
  readonly account_id: string
  readonly email: string | null
  readonly owner_email: string | null
  readonly tier: string
  readonly plan: string
  readonly status: string
  readonly keys: { key_id: string; is_active: number }[]
}

const SUSPENDED = {
  detail: "this account is suspended; contact the operator of this service",
  code: "account_suspended",
}

async function search(text: string, more = ""): Promise<User[]> {
  const at = `/admin/users?search=${encodeURIComponent(text)}${more}`
  return (await call<{ users: User[] }>("GET", "/admin/users", asAdmin({ at }))).body.users
}

const read = (account: string) =>
  call<User>("GET", "/admin/users/{account}", asAdmin({ at: `/admin/users/${encodeURIComponent(account)}` }))

const change = (account: string, action: "suspend" | "resume") =>
  call<User>("POST", `/admin/users/{account}/${action}`, {
    ...asAdmin({ method: "POST" }),
    at: `/admin/users/${encodeURIComponent(account)}/${action}`,
  })

/** An owner of this test's accounts only. Other suites create hundreds of accounts on the same stack. */
const ownAddress = () => `owner-${crypto.randomUUID()}@mailbox.test`

const accountOf = async (key: TestKey) => (await search(key.keyId))[0]!.account_id
const statusOf = async (key: TestKey) => (await callUnchecked("/usage", withKey(key))).status

describe("the operator finds accounts", () => {
  test("unclaimed ones by the owner address of a key, with the tier in force, credits and last use", async () => {
    const owner = ownAddress()
    const key = await newKey("pro", owner)
    await call("GET", "/usage", withKey(key))
    const [found, ...others] = await search(key.keyId.toUpperCase())
    expect(others).toEqual([])
    expect(found).toMatchObject({
      ...{ email: null, owner_email: owner, tier: "pro", plan: "free", status: "active" },
      ...{ suspended_at: null, active_keys: 1, credits_used: 0, credits_limit: 10_000, bought_credits_left: 0 },
    })
    await eventually(async () => expect((await search(key.keyId))[0]).toMatchObject({ last_used: expect.any(String) }))
    const byOwner = (await search(owner.toUpperCase().replace(".TEST", ""))).map(({ account_id }) => account_id)
    expect(byOwner).toEqual([found!.account_id])
    expect(await search("no such owner")).toEqual([])
  })

  test("page by page, each account of a search once", async () => {
    const owner = ownAddress()
    const keys = await Promise.all([1, 2, 3].map(() => newKey("enterprise", owner)))
    const wanted = await Promise.all(keys.map(accountOf))
    const seen: string[] = []
    for (let cursor: string | null = ""; cursor !== null; ) {
      const at: string = `/admin/users?search=${encodeURIComponent(owner)}&limit=2&cursor=${cursor}`
      const { body } = await call<{ users: User[]; next_cursor: string | null }>("GET", "/admin/users", asAdmin({ at }))
      seen.push(...body.users.map(({ account_id }) => account_id))
      cursor = body.next_cursor
    }
    expect(seen).toEqual(wanted.toSorted())
    expect((await search(owner, "&limit=2&offset=1")).map(({ account_id }) => account_id)).toEqual(seen.slice(1))
  })

  test.each([
    ["an unknown id", "acc_none", 404],
    ["a mailbox without an account", "stranger@inbox.test", 404],
    ["an unproven owner address", "owner@mailbox.test", 404],
    ["a malformed mailbox", "a@@b", 400],
  ])("%s is refused", async (_, account, status) => {
    expect((await read(account)).status).toBe(status)
    expect((await change(account, "suspend")).status).toBe(status)
  })
})

describe("a suspended account", () => {
  test("has its keys and sessions refused at once with 403, and all of them work again after resume", async () => {
    const email = `suspended-${crypto.randomUUID().slice(0, 8)}@inbox.test`
    const session = { authorization: `Bearer ${await sessionOf(email)}` }
    const made = await call<{ api_key: string; key_id: string }>("POST", "/keys", {
      ...postJson({ name: "x", owner_email: email }),
      headers: { "content-type": "application/json", ...session },
    })
    const key = { keyId: made.body.key_id, secret: made.body.api_key }
    expect(await statusOf(key)).toBe(200)

    expect((await change(email, "suspend")).body).toMatchObject({ email, status: "suspended", active_keys: 1 })
    for (const headers of [{ "x-api-key": key.secret }, session])
      for (const path of ["/usage", "/validate?email=user1@d1843.test"])
        expect(await callUnchecked(path, { headers })).toMatchObject({ status: 403, body: SUSPENDED })
    expect(await statusOf(await newKey())).toBe(200)
    expect((await search(email, "&suspended=true")).map((user) => user.email)).toEqual([email])
    // A new sign-in does not help, also not one that moves the key to another account.
    const again = { authorization: `Bearer ${await sessionOf(email)}` }
    expect((await callUnchecked("/auth/me", { headers: again })).status).toBe(403)
    expect((await change(email, "suspend")).body).toMatchObject({ status: "suspended" })

    expect((await change(email, "resume")).body).toMatchObject({ status: "active", suspended_at: null })
    expect(await statusOf(key)).toBe(200)
    expect((await callUnchecked("/usage", { headers: session })).status).toBe(200)
    const at = `/compliance/audit-trail?subject=${(await read(email)).body.account_id}`
    const trail = await call<{ entries: { action: string; details: { changed?: boolean } }[] }>(
      "GET",
      "/compliance/audit-trail",
      asAdmin({ at }),
    )
    const actions = trail.body.entries.map(({ action, details }) => [action, details.changed])
    expect(actions.filter(([, changed]) => changed !== undefined)).toEqual([
      ["account.resumed", true],
      ["account.suspended", false],
      ["account.suspended", true],
    ])
  })

  test("keeps its jobs waiting, and resume completes them", async () => {
    const key = await newKey()
    const account = await accountOf(key)
    const emails = Array.from({ length: 400 }, (_, i) => `user${i}@d0911.test`)
    const sent = await call<{ job_id: string }>(
      "POST",
      "/validate/bulk/async",
      withKey(key, postJson({ emails: [...emails, "greylisted-once@d0911.test"] })),
    )
    await change(account, "suspend")
    const at = `/jobs/${sent.body.job_id}`
    expect((await callUnchecked(at, withKey(key))).status).toBe(403)
    await change(account, "resume")
    await expect
      .poll(async () => (await call("GET", "/jobs/{job_id}", withKey(key, { at: `${at}?limit=1` }))).body, {
        interval: 500,
      })
      .toMatchObject({ status: "complete", total: 401, progress: 401 })
  })
})

test("the operator revokes a key of any account, from the next request on", async () => {
  const [key, other] = await Promise.all([newKey(), newKey()])
  const account_id = await accountOf(key)
  const revoke = (keyId: string) =>
    call("DELETE", "/admin/keys/{key_id}", asAdmin({ method: "DELETE", at: `/admin/keys/${keyId}` }))
  expect(await statusOf(key)).toBe(200)
  expect((await revoke(key.keyId)).body).toEqual({ key_id: key.keyId, account_id, revoked: true })
  expect(await statusOf(key)).toBe(401)
  expect(await statusOf(other)).toBe(200)
  expect((await read(account_id)).body.keys).toEqual([expect.objectContaining({ key_id: key.keyId, is_active: 0 })])
  expect((await revoke("kid_none")).status).toBe(404)
})

test("the operator erases a customer by the mailbox that its owner has proven", async () => {
  const email = `gone-${crypto.randomUUID().slice(0, 8)}@inbox.test`
  const headers = { authorization: `Bearer ${await sessionOf(email)}` }
  const { account_id } = (await read(email)).body
  const at = `/compliance/customer-data/${encodeURIComponent(email)}`
  const erase = () => call("DELETE", "/compliance/customer-data/{customer_id}", asAdmin({ method: "DELETE", at }))
  expect((await erase()).body).toMatchObject({ status: "erased", customer_id: account_id, complete: true })
  expect((await callUnchecked("/usage", { headers })).status).toBe(401)
  expect((await erase()).status).toBe(404)
})

test("accuracy and bounces of all accounts are summed, and the types sum to the total", async () => {
  const key = await newKey()
  interface Service {
    readonly accuracy: { samples: number; without_verdict: number }
    readonly bounces: { total: number; by_type: Record<string, number> }
  }
  const stats = async () => (await call<Service>("GET", "/admin/accuracy", asAdmin())).body
  const before = await stats()
  for (const bounce_type of ["hard_bounce", "soft_bounce", "spam_complaint"])
    await call("POST", "/bounce", withKey(key, postJson({ email: "user1@d1844.test", bounce_type })))
  const { bounces, accuracy } = await stats()
  const own = await call<Service["bounces"]>("GET", "/bounce/stats", withKey(key))
  expect(own.body).toMatchObject({ total: 3, by_type: { hard_bounce: 1, soft_bounce: 1, spam_complaint: 1 } })
  expect(accuracy.without_verdict).toBeGreaterThanOrEqual(before.accuracy.without_verdict + 3)
  expect(bounces.total).toBeGreaterThanOrEqual(before.bounces.total + 3)
  expect(Object.values(bounces.by_type).reduce((sum, one) => sum + one, 0)).toBe(bounces.total)
})

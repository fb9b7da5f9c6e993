import { expect, test } from "vitest"
import { asAdmin, newKey, withKey } from "../support/stack/account.ts"
import { call, postJson } from "../support/stack/api.ts"

const email = () => `owner-${crypto.randomUUID().slice(0, 8)}@mailbox.test`
const createUser = (body: object) => call<{ account_id: string }>("POST", "/admin/users", asAdmin(postJson(body)))
const createUserKey = (account: string, body: object = { name: "made", tier: "unlimited" }) =>
  call<{ api_key: string; key_id: string }>("POST", "/admin/users/{account}/keys", {
    ...asAdmin(postJson(body)),
    at: `/admin/users/${encodeURIComponent(account)}/keys`,
  })
const signInLink = (account: string) =>
  call<{ url: string }>("POST", "/admin/users/{account}/sign-in-link", {
    ...asAdmin({ method: "POST" }),
    at: `/admin/users/${encodeURIComponent(account)}/sign-in-link`,
  })
const signIn = async (url: string) => {
  const token = /#\/sign-in\/([\w-]+)$/.exec(url)?.[1] ?? ""
  return call<{ session_token: string }>("POST", "/auth/verify", postJson({ token }))
}

test("the operator creates an account with a key, and a link signs in to it once, without a mail", async () => {
  const mailbox = email()
  const created = await createUser({ email: mailbox, tier: "unlimited" })
  expect(created.body).toMatchObject({ email: mailbox, plan: "unlimited", granted_plan: "unlimited", keys: [] })
  const { account_id: account } = created.body
  const key = await createUserKey(mailbox)
  expect(key.body).toMatchObject({ account_id: account, monthly_limit: null, rate_per_min: null })
  const used = await call("GET", "/auth/me", { headers: { "x-api-key": key.body.api_key } })
  expect(used.body).toMatchObject({ account_id: account, email: mailbox, tier: "unlimited" })

  const { body: link } = await signInLink(key.body.key_id)
  expect(link).toMatchObject({ account_id: account, email: mailbox })
  const session = await signIn(link.url)
  expect(session.body).toMatchObject({ account_id: account, email: mailbox })
  expect((await signIn(link.url)).status).toBe(401)
  const headers = { authorization: `Bearer ${session.body.session_token}` }
  expect((await call("GET", "/auth/me", { headers })).body).toMatchObject({ account_id: account, tier: "unlimited" })
  expect((await call<{ keys: object[] }>("GET", "/keys", { headers })).body.keys).toMatchObject([{ name: "made" }])
})

test("a mailbox has one account: a second one is 409, and names the first", async () => {
  const mailbox = email()
  const { account_id: account } = (await createUser({ email: mailbox })).body
  const again = await createUser({ email: mailbox.replace("mailbox", "MAILBOX"), tier: "pro" })
  expect([again.status, JSON.stringify(again.body)]).toEqual([409, expect.stringContaining(account)])
  expect((await createUser({ email: "nonsense" })).status).toBe(400)
})

test("an account without other keys gets one again, and an account without a mailbox has no sign-in", async () => {
  const key = await newKey("free")
  expect((await call("DELETE", "/keys/{key_id}", { ...withKey(key), at: `/keys/${key.keyId}` })).status).toBe(200)
  const another = await createUserKey(key.keyId, { name: "another", tier: "pro" })
  const found = await call("GET", "/auth/me", { headers: { "x-api-key": another.body.api_key } })
  expect(found.body).toMatchObject({ tier: "pro", key_id: another.body.key_id })
  expect((await signInLink(key.keyId)).status).toBe(409)
})

test("unknown accounts are 404, and no key may call these", async () => {
  for (const unknown of ["acc_000000000000000000000000", "kid_000000000000000000000000", email()]) {
    expect((await createUserKey(unknown)).status).toBe(404)
    expect((await signInLink(unknown)).status).toBe(404)
  }
  const key = await newKey()
  const init = withKey(key, postJson({ email: email() }))
  expect((await call("POST", "/admin/users", init)).status).toBe(403)
})

test("customers cannot give themselves the operator's tier", async () => {
  const key = await newKey("enterprise")
  const body = { name: "x", owner_email: "x@mailbox.test", tier: "unlimited" }
  expect((await call("POST", "/keys", withKey(key, postJson(body)))).status).toBe(402)
  expect(
    (
      await call("POST", "/billing/checkout/{plan}", {
        ...withKey(key, { method: "POST" }),
        at: "/billing/checkout/unlimited",
      })
    ).status,
  ).toBeGreaterThanOrEqual(404)
})

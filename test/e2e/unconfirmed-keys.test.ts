import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { describe, expect, inject, test } from "vitest"
import { asAdmin, type TestKey, withKey } from "../support/stack/account.ts"
import { type CallInit, call, postJson } from "../support/stack/api.ts"
import { mailedToken } from "../support/stack/mailed-link.ts"
import { OwnPage } from "../support/stack/own-page.ts"
import { runCli } from "../support/stack/run-cli.ts"

interface Session {
  readonly session_token: string
  readonly account_id: string
  readonly adopted_keys: number
  readonly unconfirmed_keys: number
}

interface Unconfirmed {
  readonly key_id: string
  readonly last4: string
  readonly created_at: string
  readonly last_used_at: string | null
  readonly network: string | null
  readonly requested_sign_in: boolean
  readonly lineage_keys: number
}

interface Offered {
  readonly email: string
  readonly keys: readonly Unconfirmed[]
  readonly total: number
}

let counter = 0
const freshAddress = () => `first${counter++}-${crypto.randomUUID().slice(0, 8)}@inbox.test`

/** A separate network for each call, because keys and sign-ins are limited by network. */
const from = (init: CallInit, ip = `10.55.${counter++ & 255}.7`): CallInit => ({
  ...init,
  headers: { ...init.headers, "x-real-ip": ip },
})

const bearer = (token: string, init: CallInit = {}): CallInit => ({
  ...init,
  headers: { ...init.headers, authorization: `Bearer ${token}` },
})

async function newAnonymousKey(email: string, ip?: string): Promise<TestKey & { readonly confirm: string | null }> {
  const init = from(postJson({ name: "first", owner_email: email }), ip)
  const { status, body } = await call<{ key_id: string; api_key: string; confirm: string | null }>(
    "POST",
    "/keys",
    init,
  )
  expect(status).toBe(200)
  return { keyId: body.key_id, secret: body.api_key, confirm: body.confirm }
}

/** @param key requests the link, in the browser that opens it */
async function signIn(email: string, key?: TestKey): Promise<Session> {
  const page = new OwnPage()
  const headers = key ? { "x-api-key": key.secret } : {}
  expect((await page.post("/auth/request", { email }, headers)).status).toBe(200)
  const answer = await page.post<Session>("/auth/verify", { token: await mailedToken(email) })
  expect(answer.status).toBe(200)
  return answer.body
}

const offeredTo = async ({ session_token }: Session) =>
  (await call<Offered>("GET", "/me/unconfirmed-keys", bearer(session_token))).body
const join = ({ session_token }: Session, { keyId }: TestKey) =>
  call("POST", "/me/unconfirmed-keys/{key_id}/join", {
    ...bearer(session_token),
    at: `/me/unconfirmed-keys/${keyId}/join`,
  })
const revoke = ({ session_token }: Session, { keyId }: TestKey) =>
  call("DELETE", "/me/unconfirmed-keys/{key_id}", { ...bearer(session_token), at: `/me/unconfirmed-keys/${keyId}` })
const accountOf = async (key: TestKey) =>
  (await call<{ account_id: string }>("GET", "/auth/me", withKey(key))).body.account_id
const statusOf = async (key: TestKey) => (await call("GET", "/auth/me", withKey(key))).status

describe("the first key", () => {
  test("says how to confirm it, requests the link, and joins the account with its usage", async () => {
    const [email, startedAt] = [freshAddress(), Date.now()]
    const key = await newAnonymousKey(email, "203.0.113.77")
    expect(key.confirm).toContain(`POST /auth/request with this key and {"email": "${email}"}`)
    await call("GET", "/validate", withKey(key, { at: "/validate?email=user1@d1830.test" }))

    const session = await signIn(email, key)
    expect(session).toMatchObject({ adopted_keys: 0, unconfirmed_keys: 1 })
    expect(await accountOf(key)).not.toBe(session.account_id)
    const offered = await offeredTo(session)
    expect(offered).toMatchObject({
      email,
      total: 1,
      keys: [
        {
          key_id: key.keyId,
          last4: key.secret.slice(-4),
          network: "203.0.113.0/24",
          requested_sign_in: true,
          lineage_keys: 1,
        },
      ],
    })
    expect(Date.parse(offered.keys[0]!.created_at)).toBeGreaterThanOrEqual(startedAt)

    expect(await join(session, key)).toMatchObject({
      status: 200,
      body: { key_id: key.keyId, account_id: session.account_id, joined_keys: 1 },
    })
    expect(await accountOf(key)).toBe(session.account_id)
    expect(await offeredTo(session)).toMatchObject({ keys: [], total: 0 })
    const { body } = await call<{ keys: unknown[] }>("GET", "/keys", bearer(session.session_token))
    expect(body.keys).toMatchObject([{ key_id: key.keyId, last4: key.secret.slice(-4), credits_this_month: 1 }])
    expect((await join(session, key)).status).toBe(404)
    const trail = await call<{ entries: { action: string; subject: string; actor: string }[] }>(
      "GET",
      "/compliance/audit-trail",
      asAdmin({ at: "/compliance/audit-trail?action=key.joined&limit=50" }),
    )
    expect(trail.body.entries).toContainEqual(
      expect.objectContaining({ action: "key.joined", subject: key.keyId, actor: session.account_id }),
    )
  })

  test("a key made with a key needs no confirmation of its own", async () => {
    const email = freshAddress()
    const key = await newAnonymousKey(email)
    const second = await call<{ confirm: string | null; key_id: string }>(
      "POST",
      "/keys",
      withKey(key, postJson({ name: "second", owner_email: email })),
    )
    expect(second.body.confirm).toBeNull()
    const session = await signIn(email, key)
    const offered = await offeredTo(session)
    expect(offered.keys.map(({ lineage_keys, network }) => [lineage_keys, network === null])).toEqual([
      [2, false],
      [2, true],
    ])
    expect((await join(session, key)).body).toMatchObject({ joined_keys: 2 })
    expect(await offeredTo(session)).toMatchObject({ total: 0 })
  })
})

describe("a stranger's key", () => {
  test("that requests a link for another mailbox is not offered there, and never joins by the link", async () => {
    const victim = freshAddress()
    const key = await newAnonymousKey(freshAddress())
    expect((await call("POST", "/auth/request", from(withKey(key, postJson({ email: victim }))))).status).toBe(200)
    const link = { token: await mailedToken(victim), confirm: true }
    const { body: session } = await new OwnPage().post<Session>("/auth/verify", link)
    expect(session).toMatchObject({ adopted_keys: 0, unconfirmed_keys: 0 })
    expect(await offeredTo(session)).toMatchObject({ keys: [], total: 0 })
    expect((await join(session, key)).status).toBe(404)
    expect((await revoke(session, key)).status).toBe(404)
    expect(await statusOf(key)).toBe(200)
  })

  test("that requested the link in this browser is offered, never joins by the link, and can be revoked", async () => {
    const key = await newAnonymousKey(freshAddress(), "198.51.100.9")
    const session = await signIn(freshAddress(), key)
    expect(session).toMatchObject({ adopted_keys: 0, unconfirmed_keys: 1 })
    const { keys } = (await call<{ keys: unknown[] }>("GET", "/keys", bearer(session.session_token))).body
    expect(keys).toEqual([])
    expect((await offeredTo(session)).keys).toMatchObject([
      { key_id: key.keyId, network: "198.51.100.0/24", requested_sign_in: true },
    ])
    expect(await revoke(session, key)).toMatchObject({ status: 200, body: { key_id: key.keyId, revoked: true } })
    expect(await statusOf(key)).toBe(401)
    expect(await offeredTo(session)).toMatchObject({ keys: [], total: 0 })
    expect((await join(session, key)).status).toBe(404)
  })

  test("in a mailbox's name is offered to that mailbox in any spelling, without the key too", async () => {
    const email = freshAddress()
    const key = await newAnonymousKey(email.toUpperCase().replace("INBOX.TEST", "inbox.test"))
    const session = await signIn(email)
    expect(session.unconfirmed_keys).toBe(1)
    expect((await offeredTo(session)).keys).toMatchObject([{ key_id: key.keyId, requested_sign_in: false }])
    expect((await revoke(session, key)).status).toBe(200)
    expect(await statusOf(key)).toBe(401)
  })

  const OUTSIDERS: readonly (readonly [string, (owner: string) => Promise<Session>])[] = [
    ["another mailbox", () => signIn(freshAddress())],
    [
      "another mailbox with a key of its own",
      async () => signIn(freshAddress(), await newAnonymousKey(freshAddress())),
    ],
  ]
  test.each(OUTSIDERS)("is no key of %s: 404, and nothing changes", async (_, outsider) => {
    const email = freshAddress()
    const key = await newAnonymousKey(email)
    const session = await outsider(email)
    expect((await offeredTo(session)).keys.map(({ key_id }) => key_id)).not.toContain(key.keyId)
    expect((await join(session, key)).status).toBe(404)
    expect((await revoke(session, key)).status).toBe(404)
    expect(await statusOf(key)).toBe(200)
  })

  test("a key of a claimed account is never offered, even when it requests the link", async () => {
    const owner = await signIn(freshAddress())
    const made = await call<{ key_id: string; api_key: string }>(
      "POST",
      "/keys",
      bearer(owner.session_token, postJson({ name: "own", owner_email: "x@inbox.test" })),
    )
    const key = { keyId: made.body.key_id, secret: made.body.api_key }
    const other = await signIn(freshAddress(), key)
    expect(other.unconfirmed_keys).toBe(0)
    expect(await offeredTo(other)).toMatchObject({ keys: [] })
    expect((await join(other, key)).status).toBe(404)
    expect((await revoke(other, key)).status).toBe(404)
  })

  test("a suspended key is not offered, so it cannot move to another account", async () => {
    const email = freshAddress()
    const key = await newAnonymousKey(email)
    const at = `/admin/users/${await accountOf(key)}/suspend`
    expect((await call("POST", "/admin/users/{account}/suspend", asAdmin({ at }))).status).toBe(200)
    const session = await signIn(email)
    expect(session.unconfirmed_keys).toBe(0)
    expect((await join(session, key)).status).toBe(404)
  })

  test("only a session decides: an API key is 403", async () => {
    const key = await newAnonymousKey(freshAddress())
    expect((await call("GET", "/me/unconfirmed-keys", withKey(key))).status).toBe(403)
  })

  test("a request with an invalid key is 401 for every mailbox, and a valid one gets the same answer", async () => {
    const [known, unknown] = [freshAddress(), freshAddress()]
    const [key] = [await newAnonymousKey(known), await signIn(known)]
    for (const email of [known, unknown]) {
      const request = (secret: string) =>
        call("POST", "/auth/request", from({ ...withKey({ keyId: "", secret }, postJson({ email })) }))
      expect((await request("mv_live_nonsense")).status).toBe(401)
      expect((await request(key.secret)).body).toEqual({ status: "sent", message: expect.any(String) })
    }
  })
})

test.each([
  ["the key's mailbox", (owner: string) => owner, "choose Join", 1],
  ["another mailbox", () => freshAddress(), "The key was made for", 0],
])("`mailverdict login --email` with a key and %s", async (_, mailboxOf, advice, offers) => {
  const owner = freshAddress()
  const [key, email] = [await newAnonymousKey(owner), mailboxOf(owner)]
  const folder = mkdtempSync(`${tmpdir()}/mailverdict-login-`)
  const env = { MAILVERDICT_URL: inject("stackUrl"), XDG_CONFIG_HOME: folder }
  const done = await runCli(["login", "--email", email, "--key", key.secret], { env })
  expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining(advice) })
  rmSync(folder, { recursive: true })
  const { body } = await call<Session>("POST", "/auth/verify", postJson({ token: await mailedToken(email) }))
  const listed = [{ key_id: key.keyId, requested_sign_in: false }].slice(0, offers)
  expect((await offeredTo(body)).keys).toMatchObject(listed)
})

test("an upgrade names the keys that it covers and the unconfirmed ones that it does not", async () => {
  const email = freshAddress()
  const [unconfirmed, session] = [await newAnonymousKey(email), await signIn(email)]
  const own = bearer(session.session_token, postJson({ name: "own", owner_email: email }))
  expect((await call("POST", "/keys", own)).status).toBe(200)
  const at = `/admin/users/${encodeURIComponent(email)}/upgrade`
  const upgraded = await call("POST", "/admin/users/{email}/upgrade", { ...asAdmin(postJson({ tier: "pro" })), at })
  expect(upgraded.body).toMatchObject({
    email,
    tier: "pro",
    keys_updated: 1,
    keys_unchanged: 0,
    unconfirmed_keys: [{ key_id: unconfirmed.keyId, last4: unconfirmed.secret.slice(-4) }],
    unconfirmed_total: 1,
  })
  expect((await call("GET", "/usage", withKey(unconfirmed))).body).toMatchObject({ tier: "free" })
  await join(session, unconfirmed)
  expect((await call("GET", "/usage", withKey(unconfirmed))).body).toMatchObject({ tier: "pro" })
})

test("an account's export has the key's last four characters and no network, once it has joined", async () => {
  const email = freshAddress()
  const key = await newAnonymousKey(email, "2001:db8:aa:bb::1")
  const session = await signIn(email, key)
  expect((await offeredTo(session)).keys).toMatchObject([{ network: "2001:db8:aa::/48" }])
  const about = { ...asAdmin(), at: `/gdpr/export?email=${encodeURIComponent(email)}` }
  const before = await call<{ data: { api_keys: unknown[] } }>("GET", "/gdpr/export", about)
  expect(before.body.data.api_keys).toMatchObject([{ key_id: key.keyId, network: "2001:db8:aa::/48" }])
  await join(session, key)
  const after = await call<{ data: { api_keys: unknown[] } }>("GET", "/me/export", bearer(session.session_token))
  expect(after.body.data.api_keys).toMatchObject([{ key_id: key.keyId, last4: key.secret.slice(-4), network: null }])
})

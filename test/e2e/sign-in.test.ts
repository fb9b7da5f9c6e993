import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { exportJWK, generateKeyPair, SignJWT } from "jose"
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest"
import { createGoogleIdentity } from "../../src/adapters/accounts/google-identity.ts"
import { GOOGLE_CLIENT_ID } from "../support/providers/google-accounts.ts"
import { newKey, type TestKey, withKey } from "../support/stack/account.ts"
import { type CallInit, call, postJson } from "../support/stack/api.ts"
import { mailedToken } from "../support/stack/mailed-link.ts"

interface Session {
  readonly session_token: string
  readonly account_id: string
  readonly adopted_keys: number
}

let counter = 0
const freshAddress = () => `person${counter++}-${crypto.randomUUID().slice(0, 8)}@inbox.test`

/** A separate client for each sign-in, because requests are also limited by network. */
function fromNewNetwork(init: CallInit): CallInit {
  const ip = `10.${counter >> 8}.${counter++ & 255}.1`
  return { ...init, headers: { ...init.headers, "x-real-ip": ip } }
}

async function signIn(email: string, init: CallInit = {}): Promise<Session> {
  expect((await call("POST", "/auth/request", fromNewNetwork(postJson({ email })))).status).toBe(200)
  const body = postJson({ token: await mailedToken(email) })
  const headers = { ...body.headers, ...init.headers }
  const answer = await call<Session>("POST", "/auth/verify", { ...init, ...body, headers })
  expect(answer.status).toBe(200)
  return answer.body
}

const bearer = (token: string, init: CallInit = {}): CallInit => ({
  ...init,
  headers: { ...init.headers, authorization: `Bearer ${token}` },
})

describe("sign-in by link", () => {
  test("a link works once and starts a session, and the session ends at sign-out", async () => {
    const email = freshAddress()
    const session = await signIn(email)
    const again = await call("POST", "/auth/verify", postJson({ token: await mailedToken(email) }))
    expect(again).toMatchObject({ status: 401, body: { code: "unauthorized" } })
    const me = await call("GET", "/auth/me", bearer(session.session_token))
    expect(me.body).toMatchObject({ email, account_id: session.account_id, signed_in_by: "session", tier: "free" })
    expect((await call("POST", "/auth/logout", { ...bearer(session.session_token), method: "POST" })).status).toBe(200)
    const ended = await call("GET", "/auth/me", bearer(session.session_token))
    expect(ended).toMatchObject({ status: 401, body: { code: "session_expired" } })
  })

  test("a session ends also when the call has a key too; a key alone has no session", async () => {
    const [{ session_token }, key] = [await signIn(freshAddress()), await newKey()]
    expect((await call("POST", "/auth/logout", withKey(key))).status).toBe(400)
    expect((await call("POST", "/auth/logout", bearer(key.secret))).status).toBe(400)
    expect((await call("POST", "/auth/logout", withKey(key, bearer(session_token)))).status).toBe(200)
    expect((await call("GET", "/auth/me", bearer(session_token))).status).toBe(401)
  })

  test("of many concurrent uses of one link exactly one succeeds", async () => {
    const email = freshAddress()
    await call("POST", "/auth/request", fromNewNetwork(postJson({ email })))
    const token = await mailedToken(email)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => call("POST", "/auth/verify", postJson({ token }))),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test("the same mailbox has the same account in any spelling", async () => {
    const email = freshAddress()
    const [one, two] = [await signIn(email), await signIn(email.toUpperCase().replace("INBOX.TEST", "inbox.test"))]
    expect(two.account_id).toBe(one.account_id)
  })

  test("a mailbox gets at most five valid links at a time, in any spelling", async () => {
    const name = `person${crypto.randomUUID().slice(0, 8)}`
    const spellings = [name, `p.${name.slice(1)}`, ...[1, 2, 3, 4, 5].map((tag) => `${name}+${tag}`)]
    const answers = []
    for (const local of spellings)
      answers.push(await call("POST", "/auth/request", fromNewNetwork(postJson({ email: `${local}@gmail.com` }))))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429])
    expect(Number(answers.at(-1)!.headers.get("retry-after"))).toBeGreaterThan(10 * 60)
  })

  test("a network gets five requests a minute, with any other address header and any key", async () => {
    const keys = [await newKey(), await newKey()]
    const from = (i: number): CallInit => {
      const init =
        i % 3 ? withKey(keys[(i % 3) - 1]!, postJson({ email: freshAddress() })) : postJson({ email: freshAddress() })
      const forged = { "x-forwarded-for": `192.0.2.${i}`, "cf-connecting-ip": `192.0.2.${i}` }
      return { ...init, headers: { ...init.headers, ...forged, "x-real-ip": "198.51.100.7" } }
    }
    const answers = await Promise.all(Array.from({ length: 9 }, (_, i) => call("POST", "/auth/request", from(i))))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
  })

  test("a malformed address is 400", async () => {
    expect((await call("POST", "/auth/request", postJson({ email: "not-an-address" }))).status).toBe(400)
  })
})

describe("keys created before the sign-in", () => {
  test("a sign-in with a key adopts the key and its usage, and a sign-in without it does not", async () => {
    const email = freshAddress()
    const init = postJson({ name: "anonymous", owner_email: email })
    const made = await call<{ key_id: string; api_key: string }>("POST", "/keys", {
      ...init,
      headers: { ...init.headers, "x-admin-secret": inject("adminSecret") },
    })
    const key = { keyId: made.body.key_id, secret: made.body.api_key }
    await call("GET", "/validate", withKey(key, { at: "/validate?email=user1@d0200.test" }))

    const withoutKey = await signIn(email)
    expect(withoutKey.adopted_keys).toBe(0)
    const listed = await call<{ keys: unknown[] }>("GET", "/keys", bearer(withoutKey.session_token))
    expect(listed.body.keys).toEqual([])

    const signedIn = await signIn(email, { headers: { "x-api-key": key.secret } })
    expect(signedIn).toMatchObject({ adopted_keys: 1, account_id: withoutKey.account_id })
    const after = await call<{ keys: { key_id: string }[] }>("GET", "/keys", bearer(signedIn.session_token))
    expect(after.body.keys).toMatchObject([{ key_id: key.keyId, credits_this_month: 1 }])
    const recent = await call<{ verifications: unknown[] }>("GET", "/me/recent-verifications", withKey(key))
    expect(recent.body.verifications).toHaveLength(1)
    expect((await call("GET", "/auth/me", withKey(key))).body).toMatchObject({ account_id: signedIn.account_id })
  })

  test("a key is adopted from every place where account calls accept it", async () => {
    const email = freshAddress()
    const keyPlaces = [
      ({ secret }) => bearer(secret),
      ({ secret }) => ({ at: `/auth/verify?api_key=${secret}` }),
    ] satisfies ((key: TestKey) => CallInit)[]
    for (const show of keyPlaces) expect(await signIn(email, show(await newKey()))).toMatchObject({ adopted_keys: 1 })
  })

  test("a key of another account cannot be adopted", async () => {
    const victim = await signIn(freshAddress())
    const theirs = await call<{ api_key: string }>(
      "POST",
      "/keys",
      bearer(victim.session_token, postJson({ name: "x", owner_email: "x@inbox.test" })),
    )
    const other = await signIn(freshAddress(), { headers: { "x-api-key": theirs.body.api_key } })
    expect(other.adopted_keys).toBe(0)
    expect((await call("GET", "/auth/me", bearer(victim.session_token))).status).toBe(200)
  })
})

describe("usage of an account", () => {
  test("includes lists answered in the call and their background results; the key has its last use", async () => {
    const madeAt = Math.floor(Date.now() / 1_000)
    const key = await newKey()
    const emails = ["user1@d0252.test", "user2@d0252.test"]
    await call("POST", "/validate/bulk", withKey(key, postJson({ emails })))
    await call("POST", "/validate/bulk/turbo", withKey(key, postJson({ emails: [...emails, "no address"] })))
    await call("GET", "/verify/quick", withKey(key, { at: "/verify/quick?email=user3@d0252.test" }))
    const today = async () => (await call("GET", "/me/usage", withKey(key))).body.today
    await expect.poll(today).toMatchObject({ verifications: 6 })
    const recent = await call<{ verifications: unknown[] }>("GET", "/me/recent-verifications", withKey(key))
    expect(recent.body.verifications).toHaveLength(2)
    const lastUsed = async () =>
      (await call<{ keys: { last_used: number | null }[] }>("GET", "/keys", withKey(key))).body.keys[0]!.last_used
    await expect.poll(lastUsed).toBeGreaterThanOrEqual(madeAt)
  })

  test("has totals, statistics, history and single verifications", async () => {
    const key = await newKey()
    for (const email of ["no-address", "user1@d0251.test", "user1@d0251.test", "no-1@d0251.test"])
      await call("GET", "/validate", withKey(key, { at: `/validate?email=${email}` }))
    await expect
      .poll(async () => (await call("GET", "/me/usage", withKey(key))).body.today)
      .toEqual({ verifications: 4, previous: 0, delta_percent: null })
    expect((await call("GET", "/me/stats", withKey(key))).body).toMatchObject({
      total: 4,
      cached: 1,
      by_status: { valid: 2, invalid: 1, invalid_syntax: 1 },
      top_domains: [{ domain: "d0251.test", count: 3 }],
    })
    const recent = await call<{ verifications: { id: number; email: string }[] }>(
      "GET",
      "/me/recent-verifications",
      withKey(key, { at: "/me/recent-verifications?limit=2" }),
    )
    expect(recent.body.verifications.map(({ email }) => email)).toEqual(["no-1@d0251.test", "user1@d0251.test"])
    const at = `/me/verification/${recent.body.verifications[0]!.id}`
    expect((await call("GET", "/me/verification/{verification_id}", withKey(key, { at }))).body).toMatchObject({
      checks: { status: "invalid" },
    })
    const stranger = await newKey()
    expect((await call("GET", "/me/verification/{verification_id}", withKey(stranger, { at }))).status).toBe(404)
    const wordy = withKey(key, { at: "/me/verification/first" })
    expect(await call("GET", "/me/verification/{verification_id}", wordy)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["path", "verification_id"] }] },
    })
    const billionth = withKey(key, { at: "/me/verification/1000000000" })
    expect((await call("GET", "/me/verification/{verification_id}", billionth)).status).toBe(404)
    expect((await call("GET", "/usage", withKey(key))).body).toMatchObject({ credits_used: 2, credits_limit: null })
  })

  test("the plans are public", async () => {
    const { body } = await call<{ plans: unknown[] }>("GET", "/plans")
    expect(body.plans).toContainEqual({
      ...{ name: "free", monthly_limit: 100, rate_per_min: 10, price: null },
      adds: ["100 credits a month", "10 requests a minute"],
    })
  })
})

describe("sign-in with Google", () => {
  test("the configuration leads to Google's page", async () => {
    const { body } = await call("GET", "/auth/google/config")
    expect(body).toMatchObject({
      ...{ client_id: GOOGLE_CLIENT_ID, provider: "google" },
      auth_url: `${inject("providerUrls").accounts}/auth`,
      me_url: expect.stringMatching(/\/auth\/google\/me$/),
    })
    expect((await call("GET", "/health")).body).toMatchObject({ google_sign_in: true })
  })

  let keys: Awaited<ReturnType<typeof generateKeyPair>>
  let jwksUrl = ""
  const server = createServer(async (_, response) => {
    const jwk = { ...(await exportJWK(keys.publicKey)), kid: "k1", alg: "RS256", use: "sig" }
    response.setHeader("content-type", "application/json").end(JSON.stringify({ keys: [jwk] }))
  })
  beforeAll(async () => {
    keys = await generateKeyPair("RS256")
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/certs`
  })
  afterAll(() => void server.close())

  const GOOD = { email: "person@gmail.com", email_verified: true, name: "A Person" }
  const token = (
    claims: object,
    { audience = "our-client", issuer = "https://accounts.google.com", expires = "5m" } = {},
  ) =>
    new SignJWT({ ...claims })
      .setProtectedHeader({ alg: "RS256", kid: "k1" })
      .setSubject("1234567890")
      .setIssuedAt()
      .setIssuer(issuer)
      .setAudience(audience)
      .setExpirationTime(expires)
      .sign(keys.privateKey)
  const verify = (idToken: string) =>
    createGoogleIdentity({ google: { clientId: "our-client", authUrl: "https://google.test/", jwksUrl } })!.verify(
      idToken,
    )

  test("a valid ID token identifies its person", async () => {
    expect(await verify(await token(GOOD))).toEqual({
      subject: "1234567890",
      email: "person@gmail.com",
      isHosted: true,
      name: "A Person",
    })
  })

  test("an address in other letter case is the same account, as by a link; a malformed one identifies no account", async () => {
    const as = async (email: string) => verify(await token({ ...GOOD, email }))
    expect(await as("Person@Gmail.COM")).toMatchObject({ email: "person@gmail.com" })
    expect(await as("P\u00e9@B\u00dccher.test")).toMatchObject({ email: "p\u00e9@xn--bcher-kva.test" })
    for (const email of ["", "person", "a b@gmail.com", "person@gmail.com\r\nx"]) expect(await as(email)).toBeNull()
  })

  test("a wrong audience or issuer, an expired token, an unverified address and nonsense identify no account", async () => {
    expect(await verify(await token(GOOD, { audience: "another-client" }))).toBeNull()
    expect(await verify(await token(GOOD, { issuer: "https://evil.example" }))).toBeNull()
    expect(await verify(await token(GOOD, { expires: "-1m" }))).toBeNull()
    expect(await verify(await token({ ...GOOD, email_verified: false }))).toBeNull()
    expect(await verify("nonsense")).toBeNull()
  })
})

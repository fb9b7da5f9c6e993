import { beforeAll, describe, expect, inject, test } from "vitest"
import { asAdmin, newKey, type TestKey, withKey } from "../support/stack/account.ts"
import { call, postJson } from "../support/stack/api.ts"
import { mailedToken } from "../support/stack/mailed-link.ts"
import { runCli } from "../support/stack/run-cli.ts"
import { sessionOf } from "../support/stack/sign-in.ts"

interface Made {
  readonly key_id: string
  readonly api_key: string
}

let owner: TestKey
beforeAll(async () => {
  owner = await newKey()
})

let counter = 0
const newMailbox = () => `restricted${counter++}-${crypto.randomUUID().slice(0, 8)}@inbox.test`
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const make = (restrictions: object, key = owner) =>
  call<Made>(
    "POST",
    "/keys",
    withKey(key, postJson({ name: "restricted", owner_email: "owner@mailbox.test", ...restrictions })),
  )
const made = async (restrictions: object): Promise<TestKey> => {
  const { status, body } = await make(restrictions)
  expect({ status, body }).toMatchObject({ status: 200 })
  return { keyId: body.key_id, secret: body.api_key }
}
const use = (key: TestKey, path = "/validate", headers: Record<string, string> = {}) => {
  const at = path === "/validate" ? "/validate?email=alice@mailbox.test" : path
  const init = withKey(key, { at })
  return call("GET", path, { ...init, headers: { ...init.headers, ...headers } })
}
const change = (key: TestKey, changes: object, by = owner) => {
  const init = postJson(changes)
  return call("PATCH", "/keys/{key_id}", withKey(by, { ...init, method: "PATCH", at: `/keys/${key.keyId}` }))
}

/** What `mailverdict keys list` prints. */
async function listedByCli({ secret }: TestKey): Promise<string> {
  const env = { MAILVERDICT_URL: inject("stackUrl"), MAILVERDICT_API_KEY: secret }
  return (await runCli(["keys", "list"], { env, columns: 200 })).stdout
}

describe("a restricted key", () => {
  test("shows its restrictions, in their normal form", async () => {
    const expires_at = inDays(30)
    const key = await made({
      ...{ expires_at, scopes: ["verify", "find"] },
      allowed_networks: ["192.0.2.7", "2001:DB8::1/32"],
      allowed_origins: ["https://Shop.example/"],
    })
    const restrictions = {
      ...{ expires_at, scopes: ["verify", "find"], expired: false },
      allowed_networks: ["192.0.2.7/32", "2001:db8::/32"],
      allowed_origins: ["https://shop.example"],
    }
    const { body } = await call<{ keys: object[] }>("GET", "/keys", withKey(owner))
    expect(body.keys).toContainEqual(expect.objectContaining({ key_id: key.keyId, ...restrictions }))
    const usage = withKey(owner, { at: `/keys/${key.keyId}/usage` })
    expect((await call("GET", "/keys/{key_id}/usage", usage)).body).toMatchObject(restrictions)
    const free = { expires_at: null, scopes: null, allowed_networks: null, allowed_origins: null, expired: false }
    expect(body.keys).toContainEqual(expect.objectContaining({ key_id: owner.keyId, ...free }))
  })

  test("makes only the calls of its scopes, and can always ask about itself", async () => {
    const key = await made({ scopes: ["lists"] })
    expect(await use(key)).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining("scope verify"), code: "key_restricted" },
    })
    expect((await use(key, "/bulk/jobs")).status).toBe(200)
    for (const path of ["/usage", "/auth/me"]) expect((await use(key, path)).status).toBe(200)
    expect(await use(key, "/me/usage")).toMatchObject({ status: 403 })
  })

  test("works only from its networks", async () => {
    const key = await made({ allowed_networks: ["192.0.2.0/24"] })
    expect((await use(key, "/usage", { "x-real-ip": "192.0.2.200" })).status).toBe(200)
    expect(await use(key, "/usage", { "x-real-ip": "192.0.3.1" })).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining("other networks") },
    })
  })

  test("works only for pages of its origins", async () => {
    const key = await made({ allowed_origins: ["https://shop.example"] })
    expect((await use(key, "/validate", { origin: "https://shop.example" })).status).toBe(200)
    for (const headers of [{}, { origin: "https://evil.example" }, { origin: "null" }])
      expect(await use(key, "/validate", headers)).toMatchObject({
        status: 403,
        body: { detail: expect.stringContaining("web origins") },
      })
  })

  test("works for pages of any host one label below a wildcard", async () => {
    const key = await made({ allowed_origins: ["https://*.Shop.example/"] })
    const { body } = await call<{ keys: object[] }>("GET", "/keys", withKey(owner))
    const listed = { key_id: key.keyId, allowed_origins: ["https://*.shop.example"] }
    expect(body.keys).toContainEqual(expect.objectContaining(listed))
    expect((await use(key, "/validate", { origin: "https://www.shop.example" })).status).toBe(200)
    for (const origin of ["https://shop.example", "https://a.b.shop.example", "https://www.shop.example.evil.test"])
      expect((await use(key, "/validate", { origin })).status).toBe(403)
  })

  test("is refused after its end, with the time", async () => {
    expect((await use(await made({ expires_at: inDays(1) }))).status).toBe(200)
    const expires_at = new Date(Date.now() + 1_500).toISOString()
    const key = await made({ expires_at })
    await use(key) // the limiter reads the key before its end
    await expect.poll(async () => (await use(key)).status).toBe(401)
    expect((await use(key)).body).toMatchObject({
      detail: `this API key expired at ${expires_at}`,
      code: "key_expired",
    })
    const { body } = await call<{ keys: object[] }>("GET", "/keys", withKey(owner))
    expect(body.keys).toContainEqual(expect.objectContaining({ key_id: key.keyId, expired: true, is_active: 1 }))
    expect(await listedByCli(owner)).toMatch(new RegExp(`${key.keyId} .* expired +free`))
  })

  test("cannot manage keys, whatever its scopes", async () => {
    const key = await made({ allowed_networks: ["0.0.0.0/0", "::/0"] })
    const from = { "x-real-ip": "192.0.2.1" }
    const refused = {
      status: 403,
      body: { detail: expect.stringContaining("a restricted API key cannot do this") },
    }
    const send = (method: "POST" | "DELETE", path: string, at = path) => {
      const init = withKey(key, { ...postJson({ name: "x", owner_email: "owner@mailbox.test" }), method, at })
      return call(method, path, { ...init, headers: { ...init.headers, ...from } })
    }
    expect(await send("POST", "/keys")).toMatchObject(refused)
    expect(await send("POST", "/keys/{key_id}/rotate", `/keys/${owner.keyId}/rotate`)).toMatchObject(refused)
    expect(await send("DELETE", "/keys/{key_id}", `/keys/${owner.keyId}`)).toMatchObject(refused)
    expect(await send("DELETE", "/me", "/me?confirm=x")).toMatchObject(refused)
    expect(await send("POST", "/billing/checkout/{plan}", "/billing/checkout/pro")).toMatchObject(refused)
    expect(await send("POST", "/billing/portal")).toMatchObject(refused)
    expect(await change(key, { allowed_networks: null }, key)).toMatchObject({ status: 403 })
    expect((await use(key, "/keys", from)).status).toBe(200)
  })

  test("may manage its keys again without its restrictions", async () => {
    const key = await made({ scopes: ["account"] })
    expect((await change(key, { name: "x" }, key)).status).toBe(403)
    await change(key, { scopes: null })
    expect(await change(key, { name: "its own" }, key)).toMatchObject({ status: 200, body: { name: "its own" } })
  })

  test("keeps its restrictions when it is rotated", async () => {
    const key = await made({ scopes: ["find"] })
    const rotated = withKey(owner, { method: "POST", at: `/keys/${key.keyId}/rotate` })
    const { body } = await call<Made>("POST", "/keys/{key_id}/rotate", rotated)
    expect(await use({ keyId: body.key_id, secret: body.api_key })).toMatchObject({ status: 403 })
  })

  test("costs and counts nothing where it is refused", async () => {
    const key = await made({ scopes: ["find"] })
    const answer = await use(key)
    expect(answer.status).toBe(403)
    const usage = withKey(owner, { at: `/keys/${key.keyId}/usage` })
    expect((await call("GET", "/keys/{key_id}/usage", usage)).body).toMatchObject({ credits_total: 0 })
  })
})

describe("PATCH /keys/{key_id}", () => {
  test("changes what is given, at once, and null removes a restriction", async () => {
    const key = await made({})
    expect((await use(key)).status).toBe(200)
    expect(await change(key, { name: "only lists", scopes: ["lists"] })).toMatchObject({
      status: 200,
      body: { key_id: key.keyId, name: "only lists", scopes: ["lists"], expires_at: null },
    })
    expect((await use(key)).status).toBe(403)
    const until = inDays(3)
    expect((await change(key, { expires_at: until })).body).toMatchObject({ scopes: ["lists"], expires_at: until })
    expect((await change(key, { scopes: null })).body).toMatchObject({ name: "only lists", scopes: null })
    expect((await use(key)).status).toBe(200)
    expect((await change(key, {})).body).toMatchObject({ expires_at: until })
  })

  test("refuses another account's key, an unknown one and a revoked one", async () => {
    const other = await newKey()
    expect((await change(owner, { name: "mine now" }, other)).status).toBe(404)
    expect((await change({ keyId: "kid_unknown", secret: "" }, { name: "x" })).status).toBe(404)
    const gone = await made({})
    await call("DELETE", "/keys/{key_id}", withKey(owner, { method: "DELETE", at: `/keys/${gone.keyId}` }))
    expect((await change(gone, { name: "x" })).status).toBe(409)
  })

  test("is in the audit trail", async () => {
    const key = await made({})
    await change(key, { name: "renamed" })
    const headers = { "x-admin-secret": inject("adminSecret") }
    const at = `/compliance/audit-trail?action=key.changed&subject=${key.keyId}`
    const { body } = await call<{ events: object[] }>("GET", "/compliance/audit-trail", { at, headers })
    expect(JSON.stringify(body)).toContain(key.keyId)
  })
})

test.each([
  [{ expires_at: "yesterday" }, "expires_at"],
  [{ expires_at: inDays(-1) }, "expires_at"],
  [{ expires_at: inDays(3_000) }, "expires_at"],
  [{ scopes: [] }, "scopes"],
  [{ scopes: ["everything"] }, "scopes"],
  [{ allowed_networks: ["example.com"] }, "allowed_networks"],
  [{ allowed_networks: Array.from({ length: 21 }, (_, n) => `10.0.0.${n}`) }, "allowed_networks"],
  [{ allowed_origins: ["shop.example"] }, "allowed_origins"],
  [{ allowed_origins: ["https://*.co.uk"] }, "allowed_origins"],
  [{ allowed_origins: "https://shop.example" }, "allowed_origins"],
])("%j is refused by its field, and no key is made", async (restrictions, field) => {
  for (const answer of [await make(restrictions), await change(owner, restrictions)])
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: expect.arrayContaining([field]) }] } })
})

test("no sign-in adopts the account of a restricted key", async () => {
  const init = postJson({ name: "found in a page", owner_email: "owner@mailbox.test", scopes: ["verify"] })
  const { body } = await call<Made>("POST", "/keys", asAdmin(init))
  const email = newMailbox()
  const asked = postJson({ email })
  await call("POST", "/auth/request", { ...asked, headers: { ...asked.headers, "x-real-ip": "10.201.3.4" } })
  const verified = postJson({ token: await mailedToken(email) })
  const headers = { ...verified.headers, "x-api-key": body.api_key }
  expect((await call("POST", "/auth/verify", { ...verified, headers })).body).toMatchObject({ adopted_keys: 0 })
  expect((await use({ keyId: body.key_id, secret: body.api_key })).status).toBe(200)
})

test("a restricted key requests a sign-in, and is not offered to the session", async () => {
  const email = newMailbox()
  const anonymous = postJson({ name: "found", owner_email: newMailbox(), scopes: ["verify"] })
  const { body } = await call<Made>("POST", "/keys", {
    ...anonymous,
    headers: { ...anonymous.headers, "x-real-ip": "10.201.3.10" },
  })
  const request = withKey({ keyId: body.key_id, secret: body.api_key }, postJson({ email }))
  expect((await call("POST", "/auth/request", request)).status).toBe(200)
  const verified = await call("POST", "/auth/verify", postJson({ token: await mailedToken(email) }))
  expect(verified).toMatchObject({ status: 200, body: { adopted_keys: 0, unconfirmed_keys: 0 } })
})

test("a first key with restrictions joins its owner's account with them, and the export has them", async () => {
  const email = newMailbox()
  const init = postJson({ name: "first", owner_email: email, scopes: ["verify"] })
  const { body } = await call<Made & { confirm: string }>("POST", "/keys", {
    ...init,
    headers: { ...init.headers, "x-real-ip": "10.201.3.9" },
  })
  expect(body).toMatchObject({ scopes: ["verify"], expires_at: null, allowed_networks: null, allowed_origins: null })
  expect(body.confirm).toContain(`POST /auth/request with this key and {"email": "${email}"}`)
  const session = { authorization: `Bearer ${await sessionOf(email)}` }
  const at = `/me/unconfirmed-keys/${body.key_id}/join`
  expect(
    (await call("POST", "/me/unconfirmed-keys/{key_id}/join", { method: "POST", headers: session, at })).status,
  ).toBe(200)
  const { body: listed } = await call("GET", "/keys", { headers: session })
  expect(listed).toMatchObject({ keys: [{ key_id: body.key_id, scopes: ["verify"] }] })
  const { body: exported } = await call<{ data: { api_keys: { restrictions: unknown }[] } }>("GET", "/me/export", {
    headers: session,
  })
  expect(exported.data.api_keys.map((key) => key.restrictions)).toEqual([{ scopes: ["verify"] }])
})

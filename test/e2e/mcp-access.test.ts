import { once } from "node:events"
import { type IncomingMessage, request } from "node:http"
import { expect, inject, test } from "vitest"
import { asAdmin, newKey, type TestKey, usedCredits, withKey } from "../support/stack/account.ts"
import { call, callUnchecked, postJson } from "../support/stack/api.ts"
import { postMessage, toolsOf } from "../support/stack/mcp-client.ts"
import { sessionOf } from "../support/stack/sign-in.ts"

const LIST_TOOLS = { jsonrpc: "2.0", id: 1, method: "tools/list" }

async function restrictedKey(restrictions: object): Promise<TestKey> {
  const init = postJson({ name: "agent", owner_email: "owner@mailbox.test", tier: "enterprise", ...restrictions })
  const { body } = await call<{ key_id: string; api_key: string }>("POST", "/keys", asAdmin(init))
  return { keyId: body.key_id, secret: body.api_key }
}

test("without a key, a network has what the API gives it, and the other tools say that a key is needed", async () => {
  const callTool = await toolsOf(null, { "x-real-ip": "10.88.0.1" })
  expect(await callTool("verify_email", { email: "alice@mailbox.test" })).toMatchObject({ data: { status: "valid" } })
  for (const [name, input] of [
    ["verify_list", { emails: ["alice@mailbox.test"] }],
    ["check_suppression", { email: "alice@mailbox.test" }],
  ] as const)
    expect(await callTool(name, input)).toMatchObject({ isError: true, text: expect.stringContaining("mv_live_") })
})

test("a wrong key is refused at once, with a challenge", async () => {
  const revoked = await newKey()
  await callUnchecked(`/keys/${revoked.keyId}`, withKey(revoked, { method: "DELETE" }))
  for (const secret of ["mv_live_nonsense", revoked.secret]) {
    const answer = await postMessage(LIST_TOOLS, { headers: { authorization: `Bearer ${secret}` } })
    expect(answer).toMatchObject({
      status: 401,
      body: { detail: "the API key is invalid or revoked", code: "key_refused" },
    })
    expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer resource_metadata="/)
  }
})

test("an Authorization header without Bearer is refused, as of a client that did not expand its variable", async () => {
  const answer = await postMessage(LIST_TOOLS, { headers: { authorization: "$AUTHORIZATION" } })
  expect(answer).toMatchObject({ status: 401, body: { detail: expect.stringContaining("must be Bearer") } })
})

test("a text that is no step of a path, or no Unicode, is refused as a value and reaches no other endpoint", async () => {
  const callTool = await toolsOf(await newKey())
  for (const domain of [".", ".."])
    expect(await callTool("check_domain", { domain })).toMatchObject({
      isError: true,
      text: expect.not.stringContaining("request id"),
    })
  expect(await callTool("get_list", { job_id: ".." })).toMatchObject({
    isError: true,
    text: expect.stringContaining('".."'),
  })
  expect(await callTool("check_suppression", { email: "\ud800" })).toMatchObject({ isError: true })
})

test("takes the key by X-API-Key or in the URL, and a session as a bearer token", async () => {
  const key = await newKey("pro")
  const email = "mcp-second@d0044.test"
  const params = { name: "check_suppression", arguments: { email } }
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params }
  const session = await sessionOf("mcp@inbox.test")
  const inUrl = `/mcp?api_key=${key.secret}`
  const byHeader = postMessage(message, { headers: { authorization: `Bearer ${session}` } })
  const accept = "application/json, text/event-stream"
  const byUrl = callUnchecked(inUrl, {
    ...postJson(message),
    headers: { "content-type": "application/json", accept },
  })
  for (const answer of await Promise.all([postMessage(message, {}, key), byHeader, byUrl]))
    expect(answer).toMatchObject({ status: 200, body: { result: { structuredContent: { is_suppressed: false } } } })
})

test("takes no admin secret", async () => {
  expect(await postMessage(LIST_TOOLS, asAdmin())).toMatchObject({
    status: 403,
    body: { detail: expect.stringContaining("send an API key") },
  })
})

test("a key's scopes decide which tools work, and a refusal costs nothing", async () => {
  const key = await restrictedKey({ scopes: ["suppression", "account"] })
  const callTool = await toolsOf(key)
  const email = "alice@mailbox.test"
  expect(await callTool("check_suppression", { email })).toMatchObject({ isError: false })
  for (const [name, input, scope] of [
    ["verify_email", { email }, "verify"],
    ["verify_list", { emails: [email] }, "lists"],
    ["find_email", { first_name: "A", last_name: "B", domain: "mailbox.test" }, "find"],
    ["check_domain", { domain: "mailbox.test" }, "verify"],
  ] as const)
    expect(await callTool(name, input)).toMatchObject({
      isError: true,
      text: expect.stringContaining(`its scope ${scope}. Do not call again`),
    })
  expect(await usedCredits(key)).toBe(0)
})

test("a key's networks and end apply", async () => {
  const network = await restrictedKey({ allowed_networks: ["192.0.2.0/24"] })
  const inside = await toolsOf(network, { "x-real-ip": "192.0.2.9" })
  expect(await inside("verify_email", { email: "alice@mailbox.test" })).toMatchObject({ isError: false })
  const outside = await postMessage(LIST_TOOLS, { headers: { "x-real-ip": "192.0.3.9" } }, network)
  expect(outside.status).toBe(403)
  const endsIn = (ms: number) => restrictedKey({ expires_at: new Date(Date.now() + ms).toISOString() })
  const [lasting, ending] = [await endsIn(3_600_000), await endsIn(1_500)]
  const statusOf = async (key: TestKey) => (await postMessage(LIST_TOOLS, {}, key)).status
  expect(await statusOf(lasting)).toBe(200)
  await expect.poll(() => statusOf(ending)).toBe(401)
})

test("pages of other sites are refused, unless the key names them", async () => {
  const origin = "https://agent.example"
  const key = await newKey()
  const from = (site: string, by?: TestKey) => postMessage(LIST_TOOLS, { headers: { origin: site } }, by)
  for (const site of [origin, "null"])
    for (const by of [undefined, key])
      expect(await from(site, by)).toMatchObject({
        status: 403,
        body: { detail: expect.stringContaining("may not call this") },
      })
  expect((await from(new URL(inject("stackUrl")).origin, key)).status).toBe(200)
  const named = await restrictedKey({ allowed_origins: [origin] })
  expect((await from(origin, named)).status).toBe(200)
  const callTool = await toolsOf(named, { origin })
  expect(await callTool("verify_email", { email: "alice@mailbox.test" })).toMatchObject({ isError: false })
})

test("a host name that leads here by DNS rebinding is another site", async () => {
  const headers = { host: "rebound.example", origin: "http://rebound.example", "content-type": "application/json" }
  const sent = request(new URL("/mcp", inject("stackUrl")), { method: "POST", headers })
  sent.end(JSON.stringify(LIST_TOOLS))
  const [answer] = (await once(sent, "response")) as [IncomingMessage]
  answer.resume()
  expect(answer.statusCode).toBe(403)
})

test("a suspended account is refused", async () => {
  const key = await newKey()
  const { body } = await call<{ account_id: string }>("GET", "/auth/me", withKey(key))
  const at = `/admin/users/${body.account_id}/suspend`
  expect((await call("POST", "/admin/users/{account}/suspend", asAdmin({ at, method: "POST" }))).status).toBe(200)
  expect(await postMessage(LIST_TOOLS, {}, key)).toMatchObject({ status: 403 })
})

test("used-up credits are an error of the tool, with the time that they come back", async () => {
  const key = await newKey("free")
  const callTool = await toolsOf(key)
  const emails = Array.from({ length: 100 }, (_, n) => `mcp-${n}@d1${String(n).padStart(3, "0")}.test`)
  const tooMany = await callTool("verify_list", { emails: [...emails, "mcp-100@d1100.test"] })
  expect(tooMany).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^Error 402: 101 credits .*Do not repeat this call/),
  })
  expect(await callTool("verify_list", { emails })).toMatchObject({ isError: false })
  const refused = await callTool("verify_email", { email: "mcp-new@d0045.test" })
  expect(refused).toMatchObject({ isError: true, text: expect.stringMatching(/^Error 429: .*the next month begins/) })
})

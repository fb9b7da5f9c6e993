import { beforeAll, describe, expect, inject, test } from "vitest"
import { newKey, withKey } from "../support/stack/account.ts"
import { call, callUnchecked, postJson } from "../support/stack/api.ts"
import {
  approvedCode,
  CALLBACK,
  decideAuthorization,
  exchangeCode,
  postForm,
  registerProgram,
} from "../support/stack/oauth-client.ts"
import { sessionOf } from "../support/stack/sign-in.ts"

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const whoAmI = (key: unknown) => callUnchecked("/auth/me", bearer(String(key)))
const invalidGrant = { status: 400, body: { error: "invalid_grant" } }

let session: string
beforeAll(async () => {
  session = await sessionOf("oauth-hostile@inbox.test")
})

describe("an authorization code", () => {
  test("works once, and a second use ends the key of the first", async () => {
    const program = await registerProgram()
    const code = await approvedCode(session, program)
    const first = await exchangeCode(program, code)
    expect(first).toMatchObject({ status: 200, body: { access_token: expect.stringMatching(/^mv_live_/) } })
    expect(first.headers.get("cache-control")).toBe("no-store")
    expect((await whoAmI(first.body.access_token)).status).toBe(200)
    expect(await exchangeCode(program, code)).toMatchObject(invalidGrant)
    expect((await whoAmI(first.body.access_token)).status).toBe(401)
  })

  test("of two uses at once only one succeeds, and its key ends", async () => {
    const program = await registerProgram()
    const code = await approvedCode(session, program)
    const answers = await Promise.all([exchangeCode(program, code), exchangeCode(program, code)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    const issued = answers.find(({ status }) => status === 200)
    expect((await whoAmI(issued?.body.access_token)).status).toBe(401)
  })

  test("needs its own verifier, redirect URI, client and resource, and a failure does not use it up", async () => {
    const program = await registerProgram()
    const foreign = await registerProgram("Foreign agent")
    const code = await approvedCode(session, program)
    const wrong: Record<string, string>[] = [
      { code_verifier: foreign.verifier },
      { code_verifier: "" },
      { code_verifier: program.request.code_challenge! },
      { redirect_uri: "http://127.0.0.1:33419/callback" },
      { redirect_uri: "" },
      { client_id: foreign.request.client_id },
      { client_id: "mailverdict-cli" },
      { client_id: "" },
      { code: `${code}x` },
      { code: "" },
    ]
    for (const changed of wrong)
      expect(await exchangeCode(program, code, changed), JSON.stringify(changed)).toMatchObject(invalidGrant)
    expect(await exchangeCode(program, code, { resource: "https://other.example/mcp" })).toMatchObject({
      status: 400,
      body: { error: "invalid_target" },
    })
    const asDevice = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", client_id: "mailverdict-cli" }
    expect(await postForm("/oauth/token", { ...asDevice, device_code: code })).toMatchObject(invalidGrant)
    expect((await exchangeCode(program, code)).status).toBe(200)
  })

  test("is in no answer to a refusal", async () => {
    const program = await registerProgram()
    const { body } = await decideAuthorization(session, program.request, false)
    expect(Object.fromEntries(new URL(body.redirect_to).searchParams)).toEqual({
      error: "access_denied",
      state: program.request.state,
      iss: inject("stackUrl"),
    })
  })
})

describe("an authorization request", () => {
  test.each([
    ["an unregistered redirect URI", { redirect_uri: "https://evil.example/cb" }, /redirect_uri: the program did not/],
    ["another path on loopback", { redirect_uri: "http://127.0.0.1:33418/other" }, /redirect_uri/],
    ["a script", { redirect_uri: "javascript:alert(1)" }, /redirect_uri/],
    ["an invented client", { client_id: "mvc_WyJ4Il0.00000000000000000000000000000000" }, /client_id/],
    ["the command line", { client_id: "mailverdict-cli" }, /client_id/],
    ["the implicit flow", { response_type: "token" }, /response_type/],
    ["PKCE by plain", { code_challenge_method: "plain" }, /code_challenge/],
    ["a malformed challenge", { code_challenge: "short" }, /code_challenge/],
    ["a scope beyond the tools", { scope: "verify account" }, /scope/],
    ["another resource", { resource: "https://other.example/mcp" }, /resource/],
  ])("with %s gets no code and no redirect, approved or not", async (_, changed, reason) => {
    const { request } = await registerProgram()
    for (const approve of [true, false])
      expect(await decideAuthorization(session, { ...request, ...changed }, approve)).toMatchObject({
        status: 400,
        body: { detail: expect.stringMatching(reason) },
      })
  })

  test("without PKCE gets no code", async () => {
    const { request } = await registerProgram()
    const { code_challenge: _, ...bare } = request
    expect((await decideAuthorization(session, bare)).status).toBe(400)
  })

  test("with a signature of another registration is refused", async () => {
    const [one, other] = [await registerProgram("One"), await registerProgram("Other")]
    const [text] = one.request.client_id.split(".")
    const [, signature] = other.request.client_id.split(".")
    const request = { ...one.request, client_id: `${text}.${signature}` }
    expect(await decideAuthorization(session, request)).toMatchObject({ status: 400 })
  })

  test("may name another port on loopback, which its code is then bound to", async () => {
    const program = await registerProgram()
    const moved = { ...program, request: { ...program.request, redirect_uri: "http://127.0.0.1:51004/callback" } }
    const code = await approvedCode(session, moved)
    expect(await exchangeCode(program, code)).toMatchObject(invalidGrant)
    expect((await exchangeCode(moved, code)).status).toBe(200)
  })

  test("leads to the console only, whatever it says", async () => {
    const query = "redirect_uri=https%3A%2F%2Fevil.example&client_id=x%3Fy%23z&error=1&id_token=2&state=a%26b"
    const answer = await fetch(`${inject("stackUrl")}/oauth/authorize?${query}`, { redirect: "manual" })
    expect(answer.status).toBe(302)
    expect(answer.headers.get("location")).toBe(
      "/console/#/authorize?redirect_uri=https%3A%2F%2Fevil.example&client_id=x%3Fy%23z&state=a%26b",
    )
  })

  test("is decided by a session only, and not by a page of another site", async () => {
    const { request } = await registerProgram()
    const init = postJson({ ...request, approve: true })
    expect((await call("POST", "/oauth/authorization", init)).status).toBe(401)
    expect((await call("POST", "/oauth/authorization", withKey(await newKey(), init))).status).toBe(403)
    const cookie = `__Host-sid=${session}`
    for (const from of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }]) {
      const headers = { ...init.headers, cookie, ...from }
      expect([401, 403]).toContain((await call("POST", "/oauth/authorization", { ...init, headers })).status)
    }
    const headers = { ...init.headers, cookie, origin: new URL(inject("stackUrl")).origin }
    expect((await call("POST", "/oauth/authorization", { ...init, headers })).status).toBe(200)
  })
})

describe("a registration", () => {
  test.each([
    [["http://evil.example/cb"], "invalid_redirect_uri"],
    [["javascript:alert(1)"], "invalid_redirect_uri"],
    [[], "invalid_redirect_uri"],
    [[`https://a.example/${"x".repeat(900)}`, `https://b.example/${"x".repeat(900)}`], "invalid_client_metadata"],
  ])("of %j is %s", async (redirect_uris, error) => {
    const answer = await callUnchecked("/oauth/register", postJson({ redirect_uris }))
    expect(answer).toMatchObject({ status: 400, body: { error, error_description: expect.any(String) } })
  })

  test("shows the user a name without hidden characters", async () => {
    const { request } = await registerProgram("Cl\u202Eaude\n")
    const at = `/oauth/authorization?${new URLSearchParams(request)}`
    expect((await call("GET", "/oauth/authorization", { at, ...bearer(session) })).body).toMatchObject({
      name: "Cl aude",
      redirect_host: `a program on this device (${new URL(CALLBACK).host})`,
    })
  })
})

const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
const CLI = { client_id: "mailverdict-cli" }

describe("a device code", () => {
  let networks = 0
  const begin = async () => {
    const network = { "x-real-ip": `10.79.0.${networks++}` }
    return (await postForm("/oauth/device_authorization", CLI, network)).body as Record<
      "device_code" | "user_code",
      string
    >
  }
  const poll = (device_code: string, changed: Record<string, string> = {}) =>
    postForm("/oauth/token", { grant_type: DEVICE_GRANT, ...CLI, device_code, ...changed })
  const decide = (user_code: string, approve: boolean, by = session) => {
    const init = postJson({ user_code, approve })
    return call("POST", "/oauth/device", { ...init, headers: { ...init.headers, ...bearer(by).headers } })
  }

  test("answers pending, then slow_down to a poll that is too early", async () => {
    const { device_code } = await begin()
    expect(await poll(device_code)).toMatchObject({ status: 400, body: { error: "authorization_pending" } })
    expect(await poll(device_code)).toMatchObject({ status: 400, body: { error: "slow_down" } })
  })

  test("becomes one key of the account that approved it, and a second poll ends that key", async () => {
    const { device_code, user_code } = await begin()
    const other = await sessionOf("oauth-other@inbox.test")
    expect((await decide(user_code, true, other)).status).toBe(200)
    expect((await decide(user_code, true)).status).toBe(404)
    const issued = await poll(device_code)
    expect((await whoAmI(issued.body.access_token)).body).toMatchObject({ email: "oauth-other@inbox.test" })
    expect(await poll(device_code)).toMatchObject(invalidGrant)
    expect((await whoAmI(issued.body.access_token)).status).toBe(401)
  })

  test("of a refused or an unknown sign-in gets no key", async () => {
    const { device_code, user_code } = await begin()
    expect((await decide(user_code, false)).status).toBe(200)
    expect(await poll(device_code)).toMatchObject({ status: 400, body: { error: "access_denied" } })
    expect(await poll("unknown")).toMatchObject(invalidGrant)
    const { request } = await registerProgram()
    expect(await poll(device_code, { client_id: request.client_id })).toMatchObject({
      body: { error: "unauthorized_client" },
    })
    expect(await poll(device_code, { grant_type: "password" })).toMatchObject({
      body: { error: "unsupported_grant_type" },
    })
  })

  test("cannot be found by guesses: the account's guesses are limited", async () => {
    const guesser = await sessionOf("oauth-guesser@inbox.test")
    const { user_code } = await begin()
    const guess = (code: string) =>
      call("GET", "/oauth/device", { at: `/oauth/device?user_code=${code}`, ...bearer(guesser) })
    for (let n = 0; n < 30; n++) expect((await guess("BBBB-BBBB")).status).toBe(404)
    const refused = await guess(user_code)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(60)
  })

  test("is limited for each network", async () => {
    const network = { "x-real-ip": "10.79.1.1" }
    for (let n = 0; n < 20; n++) expect((await postForm("/oauth/device_authorization", CLI, network)).status).toBe(200)
    expect((await postForm("/oauth/device_authorization", CLI, network)).status).toBe(429)
  })

  test("needs the form of OAuth", async () => {
    expect((await callUnchecked("/oauth/token", postJson({}))).status).toBe(415)
    const repeated = { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" } }
    const body = "grant_type=authorization_code&code=a&code=b"
    expect(await callUnchecked("/oauth/token", { ...repeated, body })).toMatchObject({
      body: { error: "invalid_request" },
    })
    expect((await callUnchecked("/oauth/token", { ...repeated, body: `code=${"a".repeat(10_001)}` })).status).toBe(413)
  })
})

describe("a revocation", () => {
  test("answers the same for a key, an unknown one and a publishable one, which stays", async () => {
    const owner = await newKey()
    const about = { name: "form", owner_email: "owner@mailbox.test", kind: "publishable" }
    const made = await call<{ api_key: string; key_id: string }>(
      "POST",
      "/keys",
      withKey(owner, postJson({ ...about, allowed_origins: ["https://shop.example"] })),
    )
    for (const token of ["mv_live_unknown", made.body.api_key])
      expect(await postForm("/oauth/revoke", { token })).toMatchObject({ status: 200, body: {} })
    const { body } = await call<{ keys: { key_id: string; is_active: number }[] }>("GET", "/keys", withKey(owner))
    expect(body.keys.every(({ is_active }) => is_active === 1)).toBe(true)
    expect(await postForm("/oauth/revoke", { token: owner.secret })).toMatchObject({ status: 200, body: {} })
    expect((await whoAmI(owner.secret)).status).toBe(401)
  })
})

import { Hono } from "hono"
import { describe, expect, test } from "vitest"
import { clearSessionCookie, readSessionCookie, setSessionCookie } from "../../../src/http/cookies.ts"
import type { AppEnv } from "../../../src/http/endpoint.ts"

import { testContext } from "../../support/deps/context.ts"

const IN_A_DAY = Date.now() + 86_400_000

const app = new Hono<AppEnv>()
  .use(async (c, next) => {
    c.set("ctx", testContext({ config: { baseUrl: "https://api.example.com" } }))
    await next()
  })
  .all("/read", (c) => c.json(readSessionCookie(c)))
  .post("/set", (c) => {
    setSessionCookie(c, { token: "token", expiresAt: IN_A_DAY })
    return c.body(null)
  })
  .post("/clear", (c) => {
    clearSessionCookie(c)
    return c.body(null)
  })

const COUNTS = { token: "token", isIgnored: false }
const IGNORED = { isIgnored: true }

describe.each(["GET", "POST", "DELETE"])("a session cookie on %s", (method) => {
  test.each([
    [undefined, COUNTS],
    ["same-origin", COUNTS],
    ["none", COUNTS],
    ["same-site", IGNORED],
    ["cross-site", IGNORED],
    ["", IGNORED],
    ["same-origin, cross-site", IGNORED],
    ["a value of the future", IGNORED],
  ])("with Sec-Fetch-Site: %s", async (site, expected) => {
    const headers = { cookie: "__Host-sid=token", ...(site === undefined ? {} : { "sec-fetch-site": site }) }
    expect(await (await app.request("/read", { method, headers })).json()).toEqual(expected)
  })

  test("is not reported as ignored when it is missing", async () => {
    const headers = { "sec-fetch-site": "cross-site", cookie: "other=1" }
    expect(await (await app.request("/read", { method, headers })).json()).toEqual({ isIgnored: false })
  })
})

test.each<readonly [Record<string, string>, boolean]>([
  [{}, true],
  [{ "sec-fetch-site": "same-origin" }, true],
  [{ "sec-fetch-site": "same-origin", origin: "https://hidden-by-a-proxy.example" }, true],
  [{ origin: "https://api.example.com" }, true],
  [{ origin: "http://localhost" }, true],
  [{ "sec-fetch-site": "cross-site" }, false],
  [{ "sec-fetch-site": "same-site", origin: "https://api.example.com" }, false],
  [{ origin: "https://evil.example" }, false],
  [{ origin: "null" }, false],
])("an answer to a request with %j sets the session cookie: %s", async (headers, isSet) => {
  const response = await app.request("/set", { method: "POST", headers })
  expect(response.headers.has("set-cookie")).toBe(isSet)
})

test("the browser sends the cookie to this host only, hides it from scripts, and does not send it cross-site", async () => {
  const response = await app.request("/set", { method: "POST" })
  expect(response.headers.get("set-cookie")).toBe(
    `__Host-sid=token; Path=/; Expires=${new Date(IN_A_DAY).toUTCString()}; HttpOnly; Secure; SameSite=Strict`,
  )
  expect(response.headers.get("cache-control")).toBe("no-store")
  const cleared = await app.request("/clear", { method: "POST" })
  expect(cleared.headers.get("set-cookie")).toBe("__Host-sid=; Max-Age=0; Path=/; Secure")
})

import { Hono } from "hono"
import { describe, expect, test } from "vitest"
import type { AppEnv } from "../../../src/http/endpoint.ts"
import { addSecurityHeaders, CONSOLE_POLICY, shareAcrossOrigins } from "../../../src/http/response-headers.ts"

const securedBy = (url: string, given: Record<string, string> = {}) => {
  const headers = new Headers(given)
  addSecurityHeaders(headers, url)
  return Object.fromEntries(headers)
}

describe("security headers of every answer", () => {
  test.each([
    ["https://api.example.com/health", "max-age=31536000; includeSubDomains"],
    ["http://127.0.0.1:8787/health", undefined],
  ])("%s: Strict-Transport-Security is sent over TLS only", (url, value) => {
    expect(securedBy(url)["strict-transport-security"]).toBe(value)
  })

  test("data runs no script and has no frame; a page uses its own policy", () => {
    expect(securedBy("https://api.example.com/")).toMatchObject({
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    })
    const page = securedBy("https://api.example.com/console/", { "content-security-policy": CONSOLE_POLICY })
    expect(page).toMatchObject({ "content-security-policy": CONSOLE_POLICY, "x-content-type-options": "nosniff" })
  })

  test.each<[asked: Record<string, string>, only: string | null | undefined, allowed: string | null]>([
    [{ origin: "https://shop.example" }, undefined, "*"],
    [{}, undefined, null],
    [{ origin: "https://shop.example" }, "https://shop.example", "https://shop.example"],
    [{ origin: "https://evil.example" }, null, null],
  ])("request headers %j, shared with %s: allows %s, without credentials", async (asked, only, allowed) => {
    const app = new Hono<AppEnv>().get("/", (c) => {
      if (only !== undefined) c.set("sharedOrigin", only)
      c.res = new Response()
      shareAcrossOrigins(c)
      return c.res
    })
    const { headers } = await app.request("/", { headers: asked })
    expect(headers.get("vary")).toBe(only === undefined ? null : "Origin")
    expect(headers.get("access-control-allow-origin")).toBe(allowed)
    expect(headers.get("access-control-allow-credentials")).toBeNull()
    expect(headers.has("access-control-expose-headers")).toBe(allowed !== null)
  })
})

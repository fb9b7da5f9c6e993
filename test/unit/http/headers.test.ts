import { describe, expect, test } from "vitest"
import { shareAcrossOrigins } from "../../../src/http/cross-origin.ts"
import { addSecurityHeaders, CONSOLE_POLICY } from "../../../src/http/security-headers.ts"

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

  test.each([
    [{ origin: "https://shop.example" }, "*"],
    [{}, null],
  ])("with request headers %j: the answer is shared with that origin, without credentials", (asked, allowed) => {
    const headers = new Headers()
    shareAcrossOrigins(new Headers(asked), headers)
    expect(headers.get("access-control-allow-origin")).toBe(allowed)
    expect(headers.get("access-control-allow-credentials")).toBeNull()
    expect(headers.has("access-control-expose-headers")).toBe(allowed !== null)
  })
})

import { describe, expect, test } from "vitest"
import {
  isRedirectUri,
  matchesRedirectUri,
  packed,
  readRegistration,
  shownName,
  shownRedirect,
  unpacked,
} from "../../../src/domain/oauth/clients.ts"

describe("redirect URIs", () => {
  test.each([
    ["https://claude.ai/api/mcp/auth_callback", "claude.ai"],
    ["https://app.example:8443/cb?kind=mcp", "app.example:8443"],
    ["http://127.0.0.1:33418/", "a program on this device (127.0.0.1:33418)"],
    ["http://localhost/callback", "a program on this device (localhost)"],
    ["http://[::1]:9/cb", "a program on this device ([::1]:9)"],
    ["cursor://anysphere.cursor-mcp/oauth/callback", "a program on this device (cursor:)"],
    ["com.example.app:/oauth", "a program on this device (com.example.app:)"],
    ["claude.ai://cb", "a program on this device (claude.ai:)"],
  ])("%s is accepted, and shown as %s", (uri, host) => {
    expect(isRedirectUri(uri)).toBe(true)
    expect(shownRedirect(uri)).toBe(host)
  })

  test.each([
    "http://example.com/cb",
    "http://127.0.0.1.example.com/cb",
    "http://localhost@example.com/cb",
    "https://user:pass@example.com/cb",
    "https://example.com/cb#x",
    "https://example.com/cb#",
    "https://example.com/a b",
    "https://example.com\\@evil.example/",
    "javascript:alert(1)",
    "javascript://x/%0aalert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "blob:https://example.com/1",
    "myapp:/callback",
    "/callback",
    "",
  ])("%j is refused", (uri) => {
    expect(isRedirectUri(uri)).toBe(false)
  })

  test.each([
    ["https://app.example/cb", "https://app.example/cb", true],
    ["https://app.example/cb/", "https://app.example/cb", false],
    ["https://app.example/cb?x=1", "https://app.example/cb", false],
    ["https://app.example/CB", "https://app.example/cb", false],
    ["https://APP.example/cb", "https://app.example/cb", false],
    ["https://app.example:8443/cb", "https://app.example/cb", false],
    ["https://app.example/cb/../evil", "https://app.example/cb", false],
    ["https://app.example.evil.example/cb", "https://app.example/cb", false],
    ["http://127.0.0.1:51004/cb", "http://127.0.0.1/cb", true],
    ["http://127.0.0.1:51004/cb", "http://127.0.0.1:33418/cb", true],
    ["http://[::1]:51004/cb", "http://[::1]/cb", true],
    ["http://localhost:51004/cb", "http://localhost:1/cb", true],
    ["http://127.0.0.1:51004/other", "http://127.0.0.1/cb", false],
    ["http://127.0.0.1:51004/cb?x=1", "http://127.0.0.1/cb", false],
    ["http://127.0.0.1:51004/cb#x", "http://127.0.0.1/cb", false],
    ["http://a@127.0.0.1:51004/cb", "http://127.0.0.1/cb", false],
    ["http://localhost:51004/cb", "http://127.0.0.1/cb", false],
    ["https://127.0.0.1:51004/cb", "http://127.0.0.1/cb", false],
    ["cursor://other/cb", "cursor://anysphere.cursor-mcp/cb", false],
    ["no uri", "http://127.0.0.1/cb", false],
  ])("%s for the registered %s: %s", (given, registered, matches) => {
    expect(matchesRedirectUri(given, registered)).toBe(matches)
  })
})

test.each([
  ["Claude Code", "Claude Code"],
  ["  two\n lines\t", "two lines"],
  ["safe\u202Eevil\u0007\u200B", "safe evil"],
  ["x".repeat(200), "x".repeat(60)],
  ["😀".repeat(61), "😀".repeat(60)],
  ["", "an unnamed program"],
  ["\u200B", "an unnamed program"],
  [undefined, "an unnamed program"],
])("the name %j is shown as %j", (given, shown) => {
  expect(shownName(given)).toBe(shown)
})

describe("a registration", () => {
  test("is the same after it was a part of a client's id", () => {
    const registration = readRegistration({
      name: "Zoë's agent",
      redirectUris: ["http://127.0.0.1/cb", "https://a.example/?b"],
    })
    expect(unpacked(packed(registration))).toEqual(registration)
    expect(packed(registration)).toMatch(/^[\w-]+$/)
  })

  test.each([
    ["no redirect URI", [], "invalid_redirect_uri"],
    ["a foreign scheme", ["https://a.example/cb", "http://a.example/cb"], "invalid_redirect_uri"],
    ["too many", Array.from({ length: 11 }, (_, n) => `https://a.example/${n}`), "invalid_redirect_uri"],
    ["too long ones", [`https://a.example/${"x".repeat(1_500)}`], "invalid_client_metadata"],
  ])("with %s is refused", (_, redirectUris, code) => {
    expect(() => readRegistration({ name: "x", redirectUris })).toThrow(expect.objectContaining({ code }))
  })
})

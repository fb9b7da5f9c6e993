import { createHash } from "node:crypto"
import { describe, expect, test } from "vitest"
import {
  CLI_SCOPES,
  intervalAfterPoll,
  isChallenge,
  MCP_SCOPES,
  makeUserCode,
  matchesChallenge,
  type PolledGrant,
  pollOutcome,
  readScopes,
  readUserCode,
  shownUserCode,
} from "../../../src/domain/oauth/grants.ts"

describe("scopes", () => {
  test.each([
    [undefined, MCP_SCOPES, ["verify", "lists", "find", "suppression"]],
    ["", MCP_SCOPES, ["verify", "lists", "find", "suppression"]],
    ["suppression  verify", MCP_SCOPES, ["verify", "suppression"]],
    ["account", CLI_SCOPES, ["account"]],
  ] as const)("%j of %j is %j", (text, allowed, scopes) => {
    expect(readScopes(text, allowed)).toEqual(scopes)
  })

  test.each(["account", "verify admin", "Verify", "verify,lists"])("%j is refused to /mcp", (text) => {
    expect(() => readScopes(text, MCP_SCOPES)).toThrow(expect.objectContaining({ code: "invalid_scope" }))
  })
})

describe("user codes", () => {
  test("each letter is equally likely, and bytes that would favor one are skipped", () => {
    const bytes = Uint8Array.from([255, 240, 0, 20, 1, 239, 19, 2, 3, 4, 5])
    expect(makeUserCode(bytes)).toBe("BBCZZDFG")
    expect(() => makeUserCode(new Uint8Array(7))).toThrow(RangeError)
    expect(() => makeUserCode(new Uint8Array(32).fill(250))).toThrow(RangeError)
  })

  test.each([
    ["WDJB-MJHT", "WDJBMJHT"],
    [" wdjb mjht ", "WDJBMJHT"],
    ["wdjbmjht", "WDJBMJHT"],
    ["WDJB-MJH", null],
    ["WDJB-MJHTX", null],
    ["WDJB-MJHA", null],
    ["WDJB-MJH0", null],
    ["", null],
  ])("%j is read as %j", (typed, code) => {
    expect(readUserCode(typed)).toBe(code)
    if (code) expect(readUserCode(shownUserCode(code))).toBe(code)
  })
})

describe("a poll", () => {
  const waiting: PolledGrant = { state: "pending", intervalSeconds: 5, polledAt: null, expiresAt: 100_000 }
  test.each([
    ["the first one", {}, 0, "authorization_pending"],
    ["after the interval", { polledAt: 10_000 }, 15_000, "authorization_pending"],
    ["a millisecond too early", { polledAt: 10_000 }, 14_999, "slow_down"],
    ["within a longer interval", { polledAt: 10_000, intervalSeconds: 10 }, 19_999, "slow_down"],
    ["after the approval", { state: "approved", polledAt: 10_000 }, 15_000, "approved"],
    ["after the approval, too early", { state: "approved", polledAt: 10_000 }, 11_000, "slow_down"],
    ["after the refusal", { state: "denied", polledAt: 10_000 }, 11_000, "access_denied"],
    ["at the end", {}, 100_000, "expired_token"],
    ["after the end of an approved code", { state: "approved" }, 100_001, "expired_token"],
    ["after its use, also past the end", { state: "used" }, 200_000, "used"],
  ] as const)("%s", (_, change, now, outcome) => {
    expect(pollOutcome({ ...waiting, ...change }, now)).toBe(outcome)
  })

  test.each([
    ["the first one", null, 10_000, "authorization_pending", 5],
    ["in time", 5_000, 10_000, "authorization_pending", 5],
    ["too early", 8_999, 10_000, "slow_down", 10],
    ["within a second of the last", 9_000, 10_000, "slow_down", null],
    ["of a decided code", 5_000, 10_000, "access_denied", null],
  ] as const)("%s is stored with its interval, or not at all", (_, polledAt, now, outcome, seconds) => {
    expect(intervalAfterPoll({ ...waiting, polledAt }, outcome, now)).toBe(seconds)
  })
})

describe("PKCE", () => {
  // RFC 7636 appendix B.
  const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

  test("the verifier of RFC 7636 matches its challenge", async () => {
    expect(isChallenge(CHALLENGE)).toBe(true)
    expect(await matchesChallenge(VERIFIER, CHALLENGE)).toBe(true)
  })

  test.each([
    ["another verifier", VERIFIER.replace("d", "e")],
    ["the challenge itself", CHALLENGE],
    ["an empty text", ""],
  ])("%s does not match it", async (_, verifier) => {
    expect(await matchesChallenge(verifier, CHALLENGE)).toBe(false)
  })

  test.each([
    ["one character too few", "a".repeat(42)],
    ["one character too many", "a".repeat(129)],
    ["a character outside the alphabet", `${"a".repeat(42)}+`],
  ])("a verifier with %s matches not even its own challenge", async (_, verifier) => {
    const own = createHash("sha256").update(verifier).digest("base64url")
    expect(await matchesChallenge(verifier, own)).toBe(false)
  })

  test.each([undefined, "", "plain", `${CHALLENGE}=`, CHALLENGE.slice(1)])("%j is no challenge of S256", (text) => {
    expect(isChallenge(text)).toBe(false)
  })
})

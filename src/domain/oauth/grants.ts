import type { OAuthGrantState } from "../../../schema/vocabulary.ts"
import { sameSecret, toBase64Url } from "../accounts/crypto.ts"
import { KEY_SCOPES, type KeyScope } from "../accounts/key-restrictions.ts"
import { DAY_MS, MINUTE_MS } from "../time.ts"

/** There are no refresh tokens: a program signs in again when its key ends. */
export const KEY_LIFE_DAYS = 90
export const KEY_LIFE_MS = KEY_LIFE_DAYS * DAY_MS
/** As long as a sign-in link works, because the user may have to sign in first. */
export const DEVICE_CODE_MS = 15 * MINUTE_MS
/** RFC 6749 4.1.2 recommends at most ten minutes. A program exchanges the code at once. */
export const AUTHORIZATION_CODE_MS = 2 * MINUTE_MS
/** RFC 8628 3.5: the wait between two polls, and what a poll that is too early adds to it. */
export const POLL_SECONDS = 5

export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"

/** The command line. It has no registration, because each installation is the same program (RFC 8628 3.1). */
export const CLI_CLIENT_ID = "mailverdict-cli"
/** What the command line may call: all that a restricted key can. */
export const CLI_SCOPES: readonly KeyScope[] = KEY_SCOPES
/** The scopes of the endpoints that the tools of /mcp call. */
export const MCP_SCOPES: readonly KeyScope[] = ["verify", "lists", "find", "suppression"]

/** Errors of RFC 6749 5.2, RFC 8628 3.5, RFC 7591 3.2.2 and RFC 8707 2. */
type OAuthErrorCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "unauthorized_client"
  | "unsupported_grant_type"
  | "unsupported_response_type"
  | "invalid_scope"
  | "invalid_target"
  | "invalid_redirect_uri"
  | "invalid_client_metadata"
  | "authorization_pending"
  | "slow_down"
  | "access_denied"
  | "expired_token"

/** An error that a program reads by its code, as OAuth defines it. */
export class OAuthError extends Error {
  override readonly name = "OAuthError"
  readonly code: OAuthErrorCode

  constructor(code: OAuthErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * The scopes that a program requests, in our order. Without a request it gets all that it may have.
 * @param text with spaces between the scopes (RFC 6749 3.3) @throws OAuthError invalid_scope
 */
export function readScopes(text: string | undefined, allowed: readonly KeyScope[]): KeyScope[] {
  const requested = (text ?? "").split(" ").filter((scope) => scope !== "")
  const wrong = requested.find((scope) => !allowed.some((one) => one === scope))
  if (wrong !== undefined) throw new OAuthError("invalid_scope", `scope: must be of ${allowed.join(", ")}`)
  return allowed.filter((scope) => requested.length === 0 || requested.includes(scope))
}

/** Without vowels, so that a code forms no word, and without digits that look like letters (RFC 8628 6.1). */
const USER_CODE_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
const USER_CODE_LENGTH = 8
/** Bytes from 240 are discarded, so that each letter is equally likely. */
export const USER_CODE_ENTROPY_BYTES = 32

/** A code to type, without its hyphen: 34 bits. @throws RangeError when too few of the bytes are usable */
export function makeUserCode(random: Uint8Array): string {
  const usable = [...random].filter((byte) => byte < 240).slice(0, USER_CODE_LENGTH)
  if (usable.length < USER_CODE_LENGTH) throw new RangeError("not enough usable random bytes")
  return usable.map((byte) => USER_CODE_LETTERS[byte % USER_CODE_LETTERS.length]).join("")
}

/** "WDJB-MJHT", as a person reads it. */
export const shownUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`

/** The code as it was made, from what a person typed. Null for a text that is no code. */
export function readUserCode(typed: string): string | null {
  const letters = typed.toUpperCase().replace(/[\s-]/g, "")
  const isCode = letters.length === USER_CODE_LENGTH && [...letters].every((one) => USER_CODE_LETTERS.includes(one))
  return isCode ? letters : null
}

/** A device code between two polls. */
export interface PolledGrant {
  readonly state: OAuthGrantState
  readonly intervalSeconds: number
  /** Unix milliseconds, both. */
  readonly polledAt: number | null
  readonly expiresAt: number
}

/** What a poll answers (RFC 8628 3.5). "approved" is not the end: the code is still to be exchanged. */
export function pollOutcome(
  { state, intervalSeconds, polledAt, expiresAt }: PolledGrant,
  now: number,
): "approved" | "used" | "access_denied" | "expired_token" | "slow_down" | "authorization_pending" {
  if (state === "used") return "used"
  if (now >= expiresAt) return "expired_token"
  if (state === "denied") return "access_denied"
  if (polledAt !== null && now - polledAt < intervalSeconds * 1_000) return "slow_down"
  return state === "approved" ? "approved" : "authorization_pending"
}

/** A code's polls are stored at most this often, so that a flood of them writes little. */
const POLL_WRITE_MS = 1_000

/** The seconds between two polls to store with this poll. Null for a poll that is not stored. */
export function intervalAfterPoll(
  { intervalSeconds, polledAt }: PolledGrant,
  outcome: ReturnType<typeof pollOutcome>,
  now: number,
): number | null {
  if (outcome === "authorization_pending") return intervalSeconds
  if (outcome !== "slow_down" || (polledAt !== null && now - polledAt <= POLL_WRITE_MS)) return null
  return intervalSeconds + POLL_SECONDS
}

/** Whether a text is a code challenge of S256: 32 bytes as base64url (RFC 7636 4.2). */
export const isChallenge = (text: string | undefined): text is string => /^[\w-]{43}$/.test(text ?? "")

/** Whether a verifier belongs to a challenge. The comparison takes constant time. */
export async function matchesChallenge(verifier: string, challenge: string): Promise<boolean> {
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))
  return sameSecret(toBase64Url(new Uint8Array(digest)), challenge)
}

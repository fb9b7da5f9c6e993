import { createRemoteJWKSet, type JSONWebKeySet, jwksCache, jwtVerify } from "jose"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import type { Config } from "../../env.ts"
import { AppError } from "../../errors.ts"

interface GoogleUser {
  /** Google's own id of the person. */
  readonly subject: string
  /** As accounts are known by: without differences of letter case. */
  readonly email: string
  /** Google runs the mailbox. Of others it was shown a proof once, and who has the mailbox today it does not know. */
  readonly isHosted: boolean
  readonly name: string | null
}

export interface GoogleIdentity {
  readonly clientId: string
  /** The person an ID token speaks of; null when it is not a good one for us. @throws AppError unavailable */
  verify(idToken: string): Promise<GoogleUser | null>
}

const ISSUERS = ["https://accounts.google.com", "accounts.google.com"]
const MAIL_DOMAINS = ["gmail.com", "googlemail.com"]
/** What jose says when the keys cannot be fetched or read; all else it says is about the token. */
const KEY_TROUBLE = ["ERR_JWKS_TIMEOUT", "ERR_JWKS_INVALID", "ERR_JOSE_GENERIC"]
/** Google's public keys as last read: plain values, kept for the isolate. */
const keys: { jwks?: JSONWebKeySet; uat?: number } = {}

/** Null when GOOGLE_CLIENT_ID is not set. */
export function createGoogleIdentity({ google }: Pick<Config, "google">): GoogleIdentity | null {
  if (!google) return null
  return {
    clientId: google.clientId,

    async verify(idToken) {
      const jwks = createRemoteJWKSet(new URL(google.jwksUrl), { [jwksCache]: keys as never, timeoutDuration: 5_000 })
      try {
        const { payload } = await jwtVerify(idToken, jwks, {
          issuer: ISSUERS,
          audience: google.clientId,
          algorithms: ["RS256"],
          requiredClaims: ["exp", "sub", "email"],
          clockTolerance: 5,
        })
        if (payload.email_verified !== true || typeof payload.email !== "string" || !payload.sub) return null
        const address = parseAddress(payload.email)
        if (!address.ok) return null
        return {
          subject: payload.sub,
          email: cacheKey(address),
          // "hd" is the organization whose mail is at Google (developers.google.com/identity, "Verify the ID token").
          isHosted: MAIL_DOMAINS.includes(address.domain) || Boolean(payload.hd),
          name: typeof payload.name === "string" ? payload.name : null,
        }
      } catch (cause) {
        const code = (cause as { code?: string }).code ?? ""
        if (code.startsWith("ERR_J") && !KEY_TROUBLE.includes(code)) return null
        throw new AppError("unavailable", "the keys of the identity provider cannot be read; try again shortly", {
          cause,
        })
      }
    },
  }
}

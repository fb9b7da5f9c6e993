import { createRemoteJWKSet, customFetch, type JSONWebKeySet, jwksCache, jwtVerify } from "jose"
import { cacheKey } from "../../domain/address/address-forms.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import type { Config } from "../../env.ts"
import { AppError } from "../../errors.ts"
import { systemClock } from "../platform.ts"

interface GoogleUser {
  /** Google's id of the user. */
  readonly subject: string
  /** Normalized like account emails: without differences of letter case. */
  readonly email: string
  /** Google hosts the mailbox. For others, Google verified the owner once and does not know the present owner. */
  readonly isHosted: boolean
  readonly name: string | null
}

export interface GoogleIdentity {
  readonly clientId: string
  /** The page that asks the user to sign in. */
  readonly authUrl: string
  /** The user of an ID token; null when the token is not valid for this service. @throws AppError unavailable */
  verify(idToken: string): Promise<GoogleUser | null>
}

const ISSUERS = ["https://accounts.google.com", "accounts.google.com"]
const MAIL_DOMAINS = ["gmail.com", "googlemail.com"]
/** Errors of jose about fetching or reading the keys. Its other errors concern the token. */
const KEY_TROUBLE = ["ERR_JWKS_TIMEOUT", "ERR_JWKS_INVALID", "ERR_JOSE_GENERIC"]
/** Google's public keys, and when they were fetched: plain values, which may outlive a request. */
interface KeyCache {
  jwks?: JSONWebKeySet
  uat?: number
  /** When the running fetch began, Unix ms; 0 without one. */
  fetchingSince?: number
  /** The last keys as Google sent them, and when they were complete, Unix ms. */
  fetched?: { readonly text: string; readonly at: number }
}
/** The timeout of a fetch. A request that the platform ends may leave its fetch unfinished. */
const FETCH_MS = 5_000
const POLL_MS = 20
const ofIsolate: KeyCache = {}

/** Null when GOOGLE_CLIENT_ID is not set. */
export function createGoogleIdentity({ google }: Pick<Config, "google">, keys = ofIsolate): GoogleIdentity | null {
  if (!google) return null
  return {
    clientId: google.clientId,
    authUrl: google.authUrl,

    async verify(idToken) {
      const jwks = createRemoteJWKSet(new URL(google.jwksUrl), {
        [jwksCache]: keys as never,
        [customFetch]: fetchOnce(keys),
        timeoutDuration: FETCH_MS,
      })
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
          // "hd" is the organization whose mail Google hosts (developers.google.com/identity, "Verify the ID token").
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

/** A stranger can invent key ids, and each makes jose fetch the keys. One request fetches them, others wait for it. */
function fetchOnce(keys: KeyCache): typeof fetch {
  return async function fetchKeys(...request: Parameters<typeof fetch>) {
    const now = Date.now()
    const endsAt = (keys.fetchingSince ?? 0) + FETCH_MS
    if (now < endsAt) {
      while (keys.fetchingSince && Date.now() < endsAt) await systemClock.sleep(POLL_MS)
      if (keys.fetched && keys.fetched.at >= now) return new Response(keys.fetched.text)
      throw new Error("another request could not fetch the keys")
    }
    keys.fetchingSince = now
    try {
      const response = await fetch(...request)
      const text = await response.text()
      if (response.ok) keys.fetched = { text, at: Date.now() }
      return new Response(text, { status: response.status })
    } finally {
      if (keys.fetchingSince === now) keys.fetchingSince = 0
    }
  } as typeof fetch
}

import { sha256 } from "../../domain/accounts/crypto.ts"
import { createOutages, type Lookup, type Outages, retryAfterMs } from "../external-calls.ts"
import type { Clock } from "../platform.ts"

export interface Gravatar {
  readonly isConfigured: boolean
  /** Whether an address has a picture of any rating; null without an answer or a request. Never rejects. */
  has(email: string): Promise<boolean | null>
}

const TIMEOUT_MS = 2_500
const isolateOutages = createOutages()

/** @param url base URL of the avatars, such as https://gravatar.com/avatar; null disables the provider */
export function createGravatar(url: string | null, { lookUp, clock, outages = isolateOutages }: LookupDeps): Gravatar {
  return {
    isConfigured: url !== null,

    async has(email) {
      if (url === null || outages.has(url, clock.now())) return null
      try {
        // The hash of the trimmed, lower-case address (docs.gravatar.com, "Creating the hash").
        const hash = await sha256(email.trim().toLowerCase())
        const response = await lookUp(email.trim(), `${url.replace(/\/$/, "")}/${hash}?d=404&s=1&r=x`, {
          redirect: "manual",
          signal: AbortSignal.timeout(TIMEOUT_MS),
        })
        if (response === null) return null
        await response.body?.cancel()
        if (response.status === 200) return true
        if (response.status === 404) return false
        outages.record(url, clock.now(), retryAfterMs(response.headers, clock.now()))
      } catch {
        outages.record(url, clock.now())
      }
      return null
    },
  }
}

/** What the sign-in page of Microsoft 365 reveals about a name. */
type CredentialAnswer =
  | { readonly kind: "exists" }
  | { readonly kind: "not_found" } // no evidence: many tenants answer this for every name
  | { readonly kind: "throttled" }
  | { readonly kind: "not_asked" } // the domain is a reserved name
  | { readonly kind: "failure" }

export type CredentialType = ReturnType<typeof createCredentialType>

interface LookupDeps {
  readonly lookUp: Lookup
  readonly clock: Clock
  readonly outages?: Outages
}

const SIGN_IN_TIMEOUT_MS = 4_000
/** At most one request a second from an isolate: the endpoint is not meant for this use. */
const PACE_MS = 1_000
/** `IfExistsResult`: 0 and 6 exist here, 5 with another identity provider; 1 does not. */
const EXISTS = new Set([0, 5, 6])

/** The endpoint is undocumented and answered "exists" for every name for years: at best a weak positive signal. */
export function createCredentialType(url: string, { lookUp, clock, outages = isolateOutages }: LookupDeps) {
  return {
    /** Never rejects. */
    async query(email: string): Promise<CredentialAnswer> {
      if (outages.has(url, clock.now())) return { kind: "throttled" }
      outages.record(url, clock.now(), PACE_MS)
      try {
        const response = await lookUp(email, url, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ username: email, isOtherIdpSupported: true }),
          redirect: "manual",
          signal: AbortSignal.timeout(SIGN_IN_TIMEOUT_MS),
        })
        if (response === null) {
          // Nothing was sent, so the next request need not wait.
          outages.record(url, clock.now(), 0)
          return { kind: "not_asked" }
        }
        if (response.status === 429 || response.status === 503) {
          await response.body?.cancel()
          outages.record(url, clock.now(), retryAfterMs(response.headers, clock.now()))
          return { kind: "throttled" }
        }
        const body: unknown = response.status === 200 ? await response.json() : null
        return readAnswer(body)
      } catch {
        return { kind: "failure" }
      }
    },
  }
}

function readAnswer(body: unknown): CredentialAnswer {
  if (typeof body !== "object" || body === null) return { kind: "failure" }
  const { ThrottleStatus, IfExistsResult } = body as Record<string, unknown>
  if (ThrottleStatus === 1) return { kind: "throttled" }
  if (typeof IfExistsResult !== "number") return { kind: "failure" }
  return { kind: EXISTS.has(IfExistsResult) ? "exists" : "not_found" }
}

import type { Lookup } from "./lookup.ts"
import { createOutages, type Outages, retryAfterMs } from "./outages.ts"
import type { Clock } from "./platform.ts"

/** What the sign-in page of Microsoft 365 reveals about a name. */
type CredentialAnswer =
  | { readonly kind: "exists" }
  | { readonly kind: "not_found" } // no evidence: many tenants answer this for every name
  | { readonly kind: "throttled" }
  | { readonly kind: "not_asked" } // the domain is a reserved name
  | { readonly kind: "failure" }

export interface CredentialType {
  /** Never rejects. */
  query(email: string): Promise<CredentialAnswer>
}

interface CredentialTypeDeps {
  readonly lookUp: Lookup
  readonly clock: Clock
  readonly outages?: Outages
}

const TIMEOUT_MS = 4_000
/** At most one request a second from an isolate: the endpoint is not meant for this use. */
const PACE_MS = 1_000
const isolateOutages = createOutages()
/** `IfExistsResult`: 0 and 6 exist here, 5 with another identity provider; 1 does not. */
const EXISTS = new Set([0, 5, 6])

/** The endpoint is undocumented and answered "exists" for every name for years: at best a weak positive signal. */
export function createCredentialType(
  url: string,
  { lookUp, clock, outages = isolateOutages }: CredentialTypeDeps,
): CredentialType {
  return {
    async query(email) {
      if (outages.has(url, clock.now())) return { kind: "throttled" }
      outages.record(url, clock.now(), PACE_MS)
      try {
        const response = await lookUp(email, url, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ username: email, isOtherIdpSupported: true }),
          redirect: "manual",
          signal: AbortSignal.timeout(TIMEOUT_MS),
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

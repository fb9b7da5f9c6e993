import { createOutages, type Outages, retryAfterMs } from "../outages.ts"
import type { Fetch } from "../outbound.ts"
import type { Clock } from "../platform.ts"

/** What the sign-in page of Microsoft 365 gives away about a name. */
type CredentialAnswer =
  | { readonly kind: "exists" }
  | { readonly kind: "not_found" } // worth nothing: many tenants answer so for everybody
  | { readonly kind: "throttled" }
  | { readonly kind: "failure" }

export interface CredentialType {
  /** Never rejects. */
  ask(email: string): Promise<CredentialAnswer>
}

interface Needs {
  readonly fetch: Fetch
  readonly clock: Clock
  readonly outages?: Outages
}

const TIMEOUT_MS = 4_000
/** One question a second from an isolate, as the service is not made for us. */
const PACE_MS = 1_000
const isolateOutages = createOutages()
/** `IfExistsResult`: 0 and 6 exist here, 5 with another identity provider; 1 does not. */
const EXISTS = new Set([0, 5, 6])

/** The endpoint is undocumented and for years said "exists" of everyone, so its word is a weak positive at best. */
export function createCredentialType(url: string, { fetch, clock, outages = isolateOutages }: Needs): CredentialType {
  return {
    async ask(email) {
      if (outages.has(url, clock.now())) return { kind: "throttled" }
      outages.note(url, clock.now(), PACE_MS)
      try {
        const response = await fetch(url, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ username: email, isOtherIdpSupported: true }),
          redirect: "manual",
          signal: AbortSignal.timeout(TIMEOUT_MS),
        })
        if (response.status === 429 || response.status === 503) {
          await response.body?.cancel()
          outages.note(url, clock.now(), retryAfterMs(response.headers, clock.now()))
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

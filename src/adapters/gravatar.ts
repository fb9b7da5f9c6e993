import { sha256 } from "../domain/accounts/crypto.ts"
import type { Lookup } from "./lookup.ts"
import { createOutages, type Outages, retryAfterMs } from "./outages.ts"
import type { Clock } from "./platform.ts"

export interface Gravatar {
  readonly isConfigured: boolean
  /** Whether an address has a picture of any rating; null without an answer or a request. Never rejects. */
  has(email: string): Promise<boolean | null>
}

const TIMEOUT_MS = 2_500
const isolateOutages = createOutages()

/** @param url base URL of the avatars, such as https://gravatar.com/avatar; null disables the provider */
export function createGravatar(
  url: string | null,
  { lookUp, clock, outages = isolateOutages }: { lookUp: Lookup; clock: Clock; outages?: Outages },
): Gravatar {
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

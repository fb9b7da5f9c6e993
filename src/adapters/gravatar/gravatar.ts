import { sha256 } from "../../domain/keys/digest.ts"
import { createOutages, type Outages, retryAfterMs } from "../outages.ts"
import type { Fetch } from "../outbound.ts"
import type { Clock } from "../platform.ts"

export interface Gravatar {
  /** Whether an address has a picture of any rating; null when the provider did not tell or is not configured. Never rejects. */
  has(email: string): Promise<boolean | null>
}

const TIMEOUT_MS = 2_500
const isolateOutages = createOutages()

/** @param url base of the avatars, such as https://gravatar.com/avatar; null switches the provider off */
export function createGravatar(
  url: string | null,
  { fetch, clock, outages = isolateOutages }: { fetch: Fetch; clock: Clock; outages?: Outages },
): Gravatar {
  return {
    async has(email) {
      if (url === null || outages.has(url, clock.now())) return null
      try {
        // Of the trimmed, lower-case address (docs.gravatar.com, "Creating the hash").
        const hash = await sha256(email.trim().toLowerCase())
        const response = await fetch(`${url.replace(/\/$/, "")}/${hash}?d=404&s=1&r=x`, {
          redirect: "manual",
          signal: AbortSignal.timeout(TIMEOUT_MS),
        })
        await response.body?.cancel()
        if (response.status === 200) return true
        if (response.status === 404) return false
        outages.note(url, clock.now(), retryAfterMs(response.headers, clock.now()))
      } catch {
        outages.note(url, clock.now())
      }
      return null
    },
  }
}

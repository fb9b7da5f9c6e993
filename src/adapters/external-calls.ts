import { mayQuery } from "../domain/dns/hosts.ts"
import { Recent } from "../domain/recent.ts"
import type { Fetch } from "./outbound.ts"

/**
 * Queries an external service about an address or a domain.
 * @param about the address or the domain
 * @returns null when the name is reserved and the service is public: nothing was sent
 * @throws Error when the service is unreachable
 */
export type Lookup = (about: string, url: string, init: RequestInit) => Promise<Response | null>

/** Lookups through a fetch function, without reserved names at public services. */
export function createLookup(fetch: Fetch): Lookup {
  return async (about, url, init) => (mayQuery(about, url) ? fetch(url, init) : null)
}

/** Default pause after a provider was unreachable. */
const OUTAGE_MS = 60_000
const MAX_WAIT_MS = 3_600_000
const MAX_ORIGINS = 500

/** Outages of optional providers in this isolate, so that they cost no time. Plain values. */
export type Outages = ReturnType<typeof createOutages>

export function createOutages() {
  const until = new Recent<number>(MAX_ORIGINS)
  return {
    /** @param waitMs the pause that the provider requests; capped at one hour */
    record(origin: string, nowMs: number, waitMs: number = OUTAGE_MS): void {
      until.set(origin, nowMs + Math.min(MAX_WAIT_MS, Math.max(0, waitMs)))
    },
    has: (origin: string, nowMs: number): boolean => (until.get(origin) ?? 0) > nowMs,
  }
}

/** Retry-After in ms: seconds or a date (RFC 9110 §10.2.3); undefined when it is missing or unusable. */
export function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const text = headers.get("retry-after")?.trim() ?? ""
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  // Dates contain letters. Date.parse would read "-5" and "1.5" as days of 2001.
  const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs)
}

/** The start of a body as text, at most `maxBytes`; the rest is not read. Invalid UTF-8 becomes U+FFFD. */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ""
  let left = maxBytes
  for await (const chunk of startOf(response, maxBytes)) {
    text += decoder.decode(chunk, { stream: true })
    left -= chunk.length
  }
  return left > 0 ? text + decoder.decode() : text
}

/** The whole body; null when it is longer than `maxBytes`, and then the rest is not read. */
export async function readWhole(response: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  for await (const chunk of startOf(response, maxBytes + 1)) {
    chunks.push(chunk)
    length += chunk.length
  }
  if (length > maxBytes) return null
  // A short answer arrives whole, and a Blob costs more than its request's signature.
  return chunks.length === 1 ? chunks[0]! : new Uint8Array(await new Blob(chunks).arrayBuffer())
}

/** Yields the first `maxBytes` after decompression: a few bytes of gzip may expand a thousandfold. */
async function* startOf(response: Response, maxBytes: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader()
  if (!reader) return
  for (let left = maxBytes; ; ) {
    const { done, value } = await reader.read()
    if (done) return
    yield value.subarray(0, left)
    left -= value.length
    if (left <= 0) return reader.cancel()
  }
}

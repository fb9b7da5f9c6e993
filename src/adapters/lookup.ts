import { mayLookUp } from "../domain/dns/hosts.ts"
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
  return async (about, url, init) => (mayLookUp(about, url) ? fetch(url, init) : null)
}

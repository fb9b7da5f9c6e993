import type { Digests } from "../accounts/digest.ts"
import { cacheKey } from "../address/cache-key.ts"
import type { ValidAddress } from "../address/parse.ts"
import type { Suppressed } from "./suppression.ts"

const PURPOSE = "address"
/** Its value is part of stored hashes of erased and of suppressed domains. */
const DOMAIN_PURPOSE = "erased-domain"

type Mailbox = Pick<ValidAddress, "local" | "domain">

/**
 * Identifies an address in suppressions, feedback, the cache and the single flight: a keyed hash, the same for all letter
 * cases, which does not reveal the address.
 */
export function addressHash(digests: Digests, address: Mailbox): Promise<string> {
  return digests.of(PURPOSE, cacheKey(address))
}

/** The hashes under every accepted pepper, the current one first, so that older entries are found too. */
export function addressHashes(digests: Digests, address: Mailbox): Promise<string[]> {
  return digests.candidates(PURPOSE, cacheKey(address))
}

/** The hashes of what an entry suppresses, the current one first. */
export function suppressedHashes(digests: Digests, one: Suppressed): Promise<string[]> {
  return "address" in one ? addressHashes(digests, one.address) : domainHashes(digests, one.wholeDomain)
}

/** The hashes under which an account's flags of an address are stored: those of the address and of its domain. */
export async function flagHashes(digests: Digests, address: Mailbox): Promise<string[]> {
  const both = await Promise.all([addressHashes(digests, address), domainHashes(digests, address.domain)])
  return both.flat()
}

/** Keyed hashes of a domain under every pepper still honoured, the current one first. @param domain A-labels, lower case */
export function domainHashes(digests: Digests, domain: string): Promise<string[]> {
  return digests.candidates(DOMAIN_PURPOSE, domain)
}

import { cacheKey } from "../address/cache-key.ts"
import type { ValidAddress } from "../address/parse.ts"
import type { Digests } from "../keys/digest.ts"

const PURPOSE = "address"

type Mailbox = Pick<ValidAddress, "local" | "domain">

/**
 * What an address is called in suppressions, in feedback, in the cache and in flight: a keyed hash, the same for all its
 * letter cases, so that none of them tells anybody's address.
 */
export function addressHash(digests: Digests, address: Mailbox): Promise<string> {
  return digests.of(PURPOSE, cacheKey(address))
}

/** The same under every pepper still honoured, the current one first: older entries must be found too. */
export function addressHashes(digests: Digests, address: Mailbox): Promise<string[]> {
  return digests.candidates(PURPOSE, cacheKey(address))
}

import { type Digests, sha256 } from "./digest.ts"

const SHA256_HEX = /^[0-9a-f]{64}$/i

/** The SHA-256 from a breach list, or that of an address as such lists compute it: trimmed, lower case. */
export async function breachHash(addressOrHash: string): Promise<string> {
  const text = addressOrHash.trim().toLowerCase()
  return SHA256_HEX.test(text) ? text : sha256(text)
}

/** Stored digest of a breached address; the same from the address and from its SHA-256. */
export async function breachDigest(digests: Digests, addressOrHash: string): Promise<string> {
  return digests.of("breach", await breachHash(addressOrHash))
}

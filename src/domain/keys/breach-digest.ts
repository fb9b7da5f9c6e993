import { type Digests, sha256 } from "./digest.ts"

const SHA256_HEX = /^[0-9a-f]{64}$/i

/** The SHA-256 a breach list gives, or that of an address as such lists make it: trimmed, lower case. */
export async function breachHash(addressOrHash: string): Promise<string> {
  const text = addressOrHash.trim().toLowerCase()
  return SHA256_HEX.test(text) ? text : sha256(text)
}

/** The digest an address is kept under among breached ones; the same from the address and from its SHA-256. */
export async function breachDigest(digests: Digests, addressOrHash: string): Promise<string> {
  return digests.of("breach", await breachHash(addressOrHash))
}

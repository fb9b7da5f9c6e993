import { type Digests, sha256 } from "../accounts/crypto.ts"
import type { Suppressed } from "../suppression/suppression.ts"
import type { ParsedAddress, ValidAddress } from "./parse.ts"
import { repairAddress } from "./repair-address.ts"

/**
 * Returns the same key for all spellings of a mailbox that differ only in letter case.
 * RFC 5321 §2.4 permits case-sensitive mailboxes, but no server has them. Probes use the given spelling.
 */
export function cacheKey({ local, domain }: Pick<ValidAddress, "local" | "domain">): string {
  return `${lowerLocal(local)}@${domain}`
}

/** Converts a local part to lower case and NFC. The lower case of some capitals is not in NFC. */
export function lowerLocal(local: string): string {
  return local.toLowerCase().normalize("NFC")
}

/** Longer than any valid address. */
const LONGEST = 320

/** Returns the normalized address, or a malformed address as given, truncated. */
export function shownEmail(address: ParsedAddress): string {
  return address.ok ? address.normalized : shownText(address.input)
}

/** The address and domain of a verification as an account's history stores them. A malformed address has no domain. */
export function historyAddress(address: ParsedAddress): { address: string; domain: string } {
  return { address: shownEmail(address), domain: address.ok ? address.domain : "" }
}

/** Returns the form of a given text that a list stores. Only a text too long to store is repaired first. */
export function storedText(given: string): string {
  return shownText(given.length > LONGEST ? repairAddress(given).text : given)
}

/** Truncates a text given as an address to the length that is stored and shown. */
export function shownText(given: string): string {
  return given.slice(0, LONGEST).toWellFormed()
}

/** Shapes of personal local parts, the most specific first. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/^\p{L}\.\p{L}{2,}$/u, "{f}.{last}"],
  [/^\p{L}{2,}\.\p{L}$/u, "{first}.{l}"],
  [/^\p{L}{2,}\.\p{L}{2,}$/u, "{first}.{last}"],
  [/^\p{L}{2,}_\p{L}{2,}$/u, "{first}_{last}"],
  [/^\p{L}{2,}-\p{L}{2,}$/u, "{first}-{last}"],
  [/^\p{L}{2,}\.\p{L}{2,}\d{1,4}$/u, "{first}.{last}{n}"],
  [/^\p{L}{2,}\d{1,4}$/u, "{word}{n}"],
  [/^\p{L}{2,}$/u, "{word}"],
]

/** Returns the format of a local part by its shape alone, or "other". A tag after "+" is ignored. */
export function patternOf(local: string): string {
  const mailbox = local.split("+")[0]!
  return SHAPES.find(([shape]) => shape.test(mailbox))?.[1] ?? "other"
}

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

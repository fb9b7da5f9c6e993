import { utf8Length } from "./character.ts"
import { readLocalPart } from "./local-part.ts"
import { isMixedLocal } from "./mixed-script.ts"
import { type MalformedAddress, malformed, type Problem } from "./problem.ts"
import { type DomainName, endOfName, readDomain } from "./read-domain.ts"
import { MAX_DOMAIN } from "./scan-domain.ts"

/** RFC 5321 §4.5.3.1.3: 256 octets with the angle brackets. */
const MAX_PATH = 254

export interface ValidAddress extends DomainName {
  readonly ok: true
  /** In NFC and in the given letter case, with quotes only where required. */
  readonly local: string
  /** local + "@" + domain: the argument of RCPT TO. Parsing it gives the same result. */
  readonly normalized: string
  /** `local` is a Quoted-string. */
  readonly isQuoted: boolean
  /** A label of the domain, or a word of the local part, mixes scripts (UTS #39, highly restrictive). */
  readonly mixedScript: boolean
  /** The local part is not ASCII, so only servers with SMTPUTF8 accept it (RFC 6531). */
  readonly needsSmtpUtf8: boolean
}

export interface ValidDomain extends DomainName {
  readonly ok: true
}

export type ParsedAddress = ValidAddress | MalformedAddress
export type ParsedDomain = ValidDomain | MalformedAddress

/**
 * Parses a Mailbox (RFC 5321 §4.1.2, RFC 6531 §3.3) with an IDNA domain. Comments and surrounding white space are
 * malformed. Never throws. Too long input is rejected without a scan.
 */
export function parseAddress(input: string): ParsedAddress {
  // A UTF-16 unit is at least one octet. One more for the trailing dot of a rooted domain.
  if (input.length > MAX_PATH + 1) return malformed(input, { reason: "too_long", position: MAX_PATH })
  const part = readLocalPart(input)
  if ("reason" in part) return malformed(input, input.includes("@") ? part : missingAtSign(input))
  const name = readDomain(input, part.end + 1)
  if ("reason" in name) return malformed(input, name)
  const { local, isQuoted, isAscii } = part
  const { domain, domainUnicode, tld } = name
  const mixedScript = name.mixedScript || (!isAscii && isMixedLocal(local))
  const normalized = `${local}@${domain}`
  // A UTF-16 unit is at most three octets, so most addresses need no octet count.
  if (3 * Math.max(input.length, normalized.length) > MAX_PATH) {
    const raw = input.slice(0, endOfName(input, part.end + 1))
    if (Math.max(utf8Length(normalized), utf8Length(raw)) > MAX_PATH)
      return malformed(input, { reason: "too_long", position: input.length })
  }
  return { ok: true, local, domain, domainUnicode, normalized, tld, isQuoted, needsSmtpUtf8: !isAscii, mixedScript }
}

/** Reports only the missing "@", because no other problem matters without it. */
function missingAtSign(input: string): Problem {
  return input.trim() === "" ? { reason: "empty", position: 0 } : { reason: "no_at_sign", position: input.length }
}

/** Parses a bare domain by the same rules as the domain of an address. */
export function parseDomain(input: string): ParsedDomain {
  if (input.length > MAX_DOMAIN + 1) return malformed(input, { reason: "domain_too_long", position: MAX_DOMAIN })
  const name = readDomain(input, 0)
  return "reason" in name ? malformed(input, name) : { ok: true, ...name }
}

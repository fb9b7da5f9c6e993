import { utf8Length } from "./character.ts"
import { readLocalPart } from "./local-part.ts"
import { isMixedLocal } from "./mixed-script.ts"
import { type MalformedAddress, malformed, type Problem } from "./problem.ts"
import { type DomainName, readDomain } from "./read-domain.ts"
import { type AddressRepair, repairAddress } from "./repair-address.ts"
import { MAX_DOMAIN } from "./scan-domain.ts"
import { listsSeveral } from "./several.ts"

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
  /** What was removed around the given text. It belongs to the call, and not to the address. */
  readonly repaired: readonly AddressRepair[]
}

export interface ValidDomain extends DomainName {
  readonly ok: true
}

export type ParsedAddress = ValidAddress | MalformedAddress
export type ParsedDomain = ValidDomain | MalformedAddress

/**
 * Parses a Mailbox (RFC 5321 §4.1.2, RFC 6531 §3.3) with an IDNA domain. It repairs the text first, so that every
 * endpoint reads the same text as the same mailbox. Comments and display names are malformed. Never throws. Text of
 * more than 2,000 characters is rejected without a scan.
 */
export function parseAddress(input: string): ParsedAddress {
  const { text, start, repaired } = repairAddress(input)
  const mailbox = readMailbox(text)
  if ("reason" in mailbox) {
    // A line break is more likely an attack on a program that writes the address into a header or a command.
    const isList = mailbox.reason !== "control_character" && listsSeveral(text)
    const reason = isList ? "several_addresses" : mailbox.reason
    return malformed(input, { reason, position: start + mailbox.position })
  }
  return { ok: true, ...mailbox, repaired }
}

/** What was removed around the text of a well-formed address. A malformed text is not repaired. */
export function repairsOf(address: ParsedAddress): AddressRepair[] {
  return address.ok ? [...address.repaired] : []
}

function readMailbox(text: string): Omit<ValidAddress, "ok" | "repaired"> | Problem {
  // A UTF-16 unit is at least one octet.
  if (text.length > MAX_PATH) return { reason: "too_long", position: MAX_PATH }
  const part = readLocalPart(text)
  if ("reason" in part) return text.includes("@") ? part : missingAtSign(text)
  const name = readDomain(text, part.end + 1)
  if ("reason" in name) return name
  const { local, isQuoted, isAscii } = part
  const { domain, domainUnicode, tld } = name
  const mixedScript = name.mixedScript || (!isAscii && isMixedLocal(local))
  const normalized = `${local}@${domain}`
  // A UTF-16 unit is at most three octets, so most addresses need no octet count.
  if (3 * Math.max(text.length, normalized.length) > MAX_PATH) {
    if (Math.max(utf8Length(normalized), utf8Length(text)) > MAX_PATH)
      return { reason: "too_long", position: text.length }
  }
  return { local, domain, domainUnicode, normalized, tld, isQuoted, needsSmtpUtf8: !isAscii, mixedScript }
}

/** Reports only the missing "@", because no other problem matters without it. */
function missingAtSign(text: string): Problem {
  return text === "" ? { reason: "empty", position: 0 } : { reason: "no_at_sign", position: text.length }
}

/** Parses a bare domain by the same rules as the domain of an address. */
export function parseDomain(input: string): ParsedDomain {
  if (input.length > MAX_DOMAIN + 1) return malformed(input, { reason: "domain_too_long", position: MAX_DOMAIN })
  const name = readDomain(input, 0)
  return "reason" in name ? malformed(input, name) : { ok: true, ...name }
}

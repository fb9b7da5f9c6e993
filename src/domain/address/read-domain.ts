import { toASCII, toUnicode } from "tr46"
import { isAddressLiteral } from "./address-literal.ts"
import { isMixedDomain } from "./mixed-script.ts"
import type { Problem } from "./problem.ts"
import { KIND, scanDomain } from "./scan-domain.ts"

/** UTS #46 with every check. Non-transitional, so that "ß" does not become "ss". */
const CHECKS = {
  checkHyphens: true,
  checkBidi: true,
  checkJoiners: true,
  useSTD3ASCIIRules: true,
  verifyDNSLength: true,
  transitionalProcessing: false,
} as const

/** UTS #46 permits symbols, and some domains have them. A top-level domain has only letters and digits (RFC 5890). */
const TLD = /^[\p{L}\p{M}\p{N}\p{Join_Control}-]+$/u

/** Characters that UTS #46 §4 reads as a dot between labels. */
export const LABEL_SEPARATOR = /[.\u3002\uff0e\uff61]/

export interface DomainName {
  /** A-label form, lower-case. */
  readonly domain: string
  /** U-label form. */
  readonly domainUnicode: string
  /** The last label of `domain`. */
  readonly tld: string
  /** A label mixes scripts that do not belong together (UTS #39, highly restrictive). */
  readonly mixedScript: boolean
}

/** Reads the domain from `start` to the end of `input`. A trailing dot is dropped. */
export function readDomain(input: string, start: number): DomainName | Problem {
  if (start === input.length) return { reason: "empty_domain", position: start }
  if (input.charCodeAt(start) === 0x5b) {
    const reason = isAddressLiteral(input.slice(start)) ? "address_literal" : "bad_address_literal"
    return { reason, position: start }
  }
  const end = endOfName(input, start)
  const scan = scanDomain(input, start, end)
  if ("reason" in scan) return scan
  if (scan.kinds & (KIND.wide | KIND.punycode)) return readInternational(input, start, end)
  const name = input.slice(start, end)
  const domain = scan.kinds & KIND.capital ? name.toLowerCase() : name
  return { domain, domainUnicode: domain, tld: domain.slice(scan.tldStart - start), mixedScript: false }
}

/** Returns the end of the name, without the trailing dot of a rooted name. */
function endOfName(input: string, start: number): number {
  const last = input.length - 1
  const code = input.charCodeAt(last)
  const isDot = code < 0x80 ? code === 0x2e : LABEL_SEPARATOR.test(input[last]!)
  return isDot && last > start ? last : input.length
}

function readInternational(input: string, start: number, end: number): DomainName | Problem {
  const name = input.slice(start, end)
  const domain = toASCII(name, CHECKS)
  const scan = scanDomain(domain ?? "", 0, domain?.length ?? 0)
  if (domain === null || "reason" in scan) return locate(name, start)
  const domainUnicode = toUnicode(domain, CHECKS).domain
  const tldStart = domainUnicode.lastIndexOf(".") + 1
  if (!TLD.test(domainUnicode.slice(tldStart))) return { reason: "bad_idn_label", position: startOfLast(name, start) }
  return { domain, domainUnicode, tld: domain.slice(scan.tldStart), mixedScript: isMixedDomain(domainUnicode) }
}

function startOfLast(name: string, start: number): number {
  return start + name.length - name.split(LABEL_SEPARATOR).at(-1)!.length
}

/** Finds the label that IDNA rejects, or else the part that DNS rejects in A-label form. */
function locate(name: string, start: number): Problem {
  const labels = name.split(LABEL_SEPARATOR)
  const startOf = (index: number) =>
    labels.slice(0, index).reduce((position, label) => position + label.length + 1, start)
  const domain = toASCII(name, { ...CHECKS, verifyDNSLength: false })
  if (domain === null) {
    const refused = labels.findIndex((label) => toASCII(label, { ...CHECKS, verifyDNSLength: false }) === null)
    return { reason: "bad_idn_label", position: startOf(Math.max(refused, 0)) }
  }
  const problem = scanDomain(domain, 0, domain.length)
  if (!("reason" in problem)) return { reason: "bad_idn_label", position: start }
  const index = domain.slice(0, problem.position).split(".").length - 1
  return { reason: problem.reason, position: startOf(Math.min(index, labels.length - 1)) }
}

import ipaddr from "ipaddr.js"

/**
 * Top-level names that public DNS never holds: RFC 6761 (invalid, localhost), RFC 6762 (local), RFC 7686 (onion),
 * RFC 9476 (alt), and "internal", which ICANN reserves for private networks. Not "test": the sandbox internet uses it.
 */
const RESERVED_TOP = new Set(["invalid", "localhost", "local", "onion", "alt", "internal"])
/** RFC 8375: names of home networks. */
const HOME = /(?:^|\.)home\.arpa$/
/** A top-level name is alphabetic (RFC 3696 §2), so these end in an IPv4 address or a part of one. */
const ENDS_IN_NUMBER = /(?:^|\.)(?:\d+|0x[\da-f]*)$/

/**
 * Whether public DNS can hold an address for this name of a mail host. False for an IP address, which RFC 1035 §3.3.9
 * does not allow in MX, and for names below a reserved top-level name. Such a host can never take mail.
 * @param name from an MX record, with or without the final dot
 */
export function canBeMailHost(name: string): boolean {
  const host = name.toLowerCase().replace(/\.$/, "")
  if (host === "" || /[:[\]]/.test(host) || ENDS_IN_NUMBER.test(host) || HOME.test(host)) return false
  return !RESERVED_TOP.has(host.slice(host.lastIndexOf(".") + 1))
}

/**
 * Networks where each sender reaches only itself, or nothing. Other loopback addresses may belong to a test network.
 * ICANN answers with 127.53.53.53 for names that collide with private ones.
 */
const NOWHERE = ["127.0.0.0/16", "127.53.53.53/32", "0.0.0.0/8", "255.255.255.255/32", "::/128", "::1/128"].map(
  (text) => ipaddr.parseCIDR(text),
)

/** Whether no mail can arrive at this address: loopback, unspecified, or broadcast. */
export function leadsNowhere(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return NOWHERE.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits))
}

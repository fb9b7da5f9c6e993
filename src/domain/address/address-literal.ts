import ipaddr from "ipaddr.js"

/** Whether the text is an IPv4 or IPv6 address literal with brackets (RFC 5321 §4.1.3). No other kind is registered. */
export function isAddressLiteral(text: string): boolean {
  if (!text.startsWith("[") || !text.endsWith("]")) return false
  const inner = text.slice(1, -1)
  const [, v6] = /^IPv6:([0-9a-f:.]+)$/i.exec(inner) ?? []
  return v6 ? ipaddr.IPv6.isValid(v6) : ipaddr.IPv4.isValidFourPartDecimal(inner)
}

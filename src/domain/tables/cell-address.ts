/** `Name <address>` (RFC 5322 §3.4), and links. */
const ANGLE = /<([^<>]*)>$/
/** White space and what shows nothing, such as the direction marks around a text copied from a contact card. */
const BLANK = /[\s\p{Cf}]/u
/** Letters of a cell that may hold an address, its display name included. */
const LONGEST = 2_000

/**
 * The address a cell holds: without white space around it, quotes, a display name, or "mailto:". Empty for an empty
 * cell, and for one that is a whole text.
 */
export function addressInCell(cell: string): string {
  const trimmed = trim(cell)
  if (trimmed.length > LONGEST) return ""
  const bare = unquote(trimmed)
  const inner = bare.includes("<") ? (ANGLE.exec(bare)?.[1] ?? bare) : bare
  return trim(trim(inner).replace(/^mailto:/i, ""))
}

/** By index from both ends: a pattern for the end of a text tries every blank in it. */
function trim(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && BLANK.test(text[start]!)) start++
  while (end > start && BLANK.test(text[end - 1]!)) end--
  return text.slice(start, end)
}

/** A space between delimiter and quote makes the quotes part of the field (RFC 4180 §2). */
function unquote(text: string): string {
  const isQuoted = text.length > 2 && text.startsWith('"') && text.endsWith('"')
  const inner = isQuoted ? text.slice(1, -1) : ""
  return inner.includes("@") && !inner.includes('"') ? trim(inner) : text
}

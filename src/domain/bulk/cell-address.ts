/** `Name <address>` (RFC 5322 §3.4), and links. */
const ANGLE = /<([^<>]*)>$/
/** White space and invisible characters, such as the direction marks around a text from a contact card. */
const BLANK = /[\s\p{Cf}]/u
/** Longest cell that may contain an address, in characters, with its display name. */
const LONGEST = 2_000

/**
 * Returns the address in a cell, without surrounding white space, quotes, a display name or "mailto:".
 * Empty for an empty cell and for a long text.
 */
export function addressInCell(cell: string): string {
  const trimmed = trim(cell)
  if (trimmed.length > LONGEST) return ""
  const bare = unquote(trimmed)
  const inner = bare.includes("<") ? (ANGLE.exec(bare)?.[1] ?? bare) : bare
  return trim(trim(inner).replace(/^mailto:/i, ""))
}

/** Trims by index. A pattern for the end of a text would try every blank in it. */
function trim(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && BLANK.test(text[start]!)) start++
  while (end > start && BLANK.test(text[end - 1]!)) end--
  return text.slice(start, end)
}

/** Removes quotes that belong to the field, because a space precedes them (RFC 4180 §2). */
function unquote(text: string): string {
  const isQuoted = text.length > 2 && text.startsWith('"') && text.endsWith('"')
  const inner = isQuoted ? text.slice(1, -1) : ""
  return inner.includes("@") && !inner.includes('"') ? trim(inner) : text
}

/** `Name <address>` (RFC 5322 §3.4), and links. */
const ANGLE = /<([^<>]*)>\s*$/
const INVISIBLE = /^[\s\u00a0\u200b-\u200d\u2060\ufeff]+|[\s\u00a0\u200b-\u200d\u2060\ufeff]+$/g

/** The address a cell holds: without white space around it, a display name, or "mailto:". Empty for an empty cell. */
export function addressInCell(cell: string): string {
  const trimmed = cell.replace(INVISIBLE, "")
  const inner = trimmed.includes("<") ? (ANGLE.exec(trimmed)?.[1] ?? trimmed) : trimmed
  return inner.replace(/^mailto:/i, "").replace(INVISIBLE, "")
}

/**
 * Reads a tag list `k=v; k2=v2` as DKIM, DMARC and BIMI write it (RFC 6376 §3.2). Names in lower case, values trimmed.
 * Null when a part has no name or a name comes twice, which makes the whole record invalid.
 */
export function readTags(text: string): ReadonlyMap<string, string> | null {
  const tags = new Map<string, string>()
  const parts = text.split(";")
  if (parts.at(-1)?.trim() === "") parts.pop()
  for (const part of parts) {
    const match = /^\s*([A-Za-z][A-Za-z0-9_]*)\s*=([\s\S]*)$/.exec(part)
    if (!match) return null
    const name = match[1]!.toLowerCase()
    if (tags.has(name)) return null
    tags.set(name, match[2]!.trim())
  }
  return tags.size > 0 ? tags : null
}

/**
 * Reads a tag list `k=v; k2=v2` as DKIM and BIMI write it (RFC 6376 §3.2). Names in lower case, values trimmed. Null when
 * a name comes twice, or a part has none, which makes the whole record invalid.
 * @param skipsErrors parts that are no tags are passed over instead, as DMARC has it (RFC 9989 §4.7)
 */
export function readTags(text: string, { skipsErrors = false } = {}): ReadonlyMap<string, string> | null {
  const tags = new Map<string, string>()
  for (const part of text.split(";")) {
    if (part.trim() === "") continue
    const [, name = "", value = ""] = /^\s*([A-Za-z][A-Za-z0-9_]*)\s*=([\s\S]*)$/.exec(part) ?? []
    if (name === "" && skipsErrors) continue
    if (name === "" || tags.has(name.toLowerCase())) return null
    tags.set(name.toLowerCase(), value.trim())
  }
  return tags.size > 0 ? tags : null
}

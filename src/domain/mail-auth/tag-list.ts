/**
 * Reads a tag list `k=v; k2=v2` of DKIM or BIMI (RFC 6376 §3.2). Names are in lower case, values are trimmed.
 * @param skipsErrors skip parts that are not tags, as DMARC requires (RFC 9989 §4.7)
 * @returns null for an invalid record, in which a name repeats or a part has no name
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

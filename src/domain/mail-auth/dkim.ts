import { readTags } from "./tag-list.ts"

/** DNS cannot list the keys of a domain, so `present: false` means that none was found. */
export interface Dkim {
  /** Null when a name exists below `_domainkey`, at an unknown selector: it may be a key, a revoked one or none. */
  readonly present: boolean | null
  /** Selectors with a usable key. */
  readonly selectors: readonly string[]
  /** The evidence: a key, or a `_domainkey` name, which exists only when names exist below it (RFC 8020). */
  readonly shownBy: "key" | "name" | null
}

/** Reads the key for mail in the TXT records of a selector. An empty `p` revokes it (RFC 6376 §3.6.1). Null without one. */
export function readDkimKey(texts: readonly string[]): "usable" | "revoked" | null {
  for (const text of texts) {
    const tags = readTags(text)
    const key = tags?.get("p")
    if (!tags || key === undefined) continue
    const version = tags.get("v")
    if (version !== undefined && (version !== "DKIM1" || tags.keys().next().value !== "v")) continue
    if (!/^[A-Za-z0-9+/\s]*={0,2}$/.test(key)) continue
    const services = (tags.get("s") ?? "*").split(":").map((service) => service.trim())
    if (!services.includes("*") && !services.includes("email")) continue
    return key === "" ? "revoked" : "usable"
  }
  return null
}

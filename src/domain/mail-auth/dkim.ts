import { readTags } from "./tag-list.ts"

/** A DKIM key record; an empty `p` says the key was withdrawn (RFC 6376 §3.6.1). */
export interface DkimKey {
  readonly type: string
  readonly isRevoked: boolean
  /** The domain says it only tries DKIM out (t=y). */
  readonly isTesting: boolean
}

/** Keys cannot be listed, so `present: false` means that none was found. */
export interface Dkim {
  readonly present: boolean
  /** Selectors at which a usable key was seen. */
  readonly selectors: readonly string[]
  /** How presence was shown: a key, or a `_domainkey` that exists because something is below it (RFC 8020). */
  readonly shownBy: "key" | "name" | null
}

/** Reads the TXT records of a selector name; null when none of them is a key record. */
export function readDkimKey(texts: readonly string[]): DkimKey | null {
  for (const text of texts) {
    const tags = readTags(text)
    const key = tags?.get("p")
    if (!tags || key === undefined) continue
    const version = tags.get("v")
    if (version !== undefined && (version !== "DKIM1" || tags.keys().next().value !== "v")) continue
    if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(key)) continue
    const services = words(tags.get("s") ?? "*")
    if (!services.includes("*") && !services.includes("email")) continue
    const flags = words(tags.get("t") ?? "")
    return { type: tags.get("k") ?? "rsa", isRevoked: key === "", isTesting: flags.includes("y") }
  }
  return null
}

function words(list: string): string[] {
  return list.split(":").map((word) => word.trim())
}

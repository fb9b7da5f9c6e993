/** Selectors that operators tell their customers to publish, the most common first. Source: their setup pages. */
export const COMMON_SELECTORS = [
  "google", // Google Workspace
  "selector1", // Microsoft 365
  "selector2",
  "default", // cPanel, OpenDKIM
  "k1", // Mailchimp, Mailgun
  "s1", // SendGrid
  "dkim",
  "mail",
  "mandrill",
  "mxvault",
  "fm1", // Fastmail
  "protonmail",
  "zoho",
  "smtp",
  "k2",
  "s2",
] as const

/** Selectors to query first for the domains of a mail operator (operators-table.ts). */
export const SELECTORS_OF: Readonly<Record<string, readonly string[]>> = {
  google: ["google"],
  microsoft365: ["selector1", "selector2"],
  fastmail: ["fm1", "fm2"],
  proton: ["protonmail"],
  zoho: ["zoho", "zmail"],
  yandex: ["mail"],
  "mail.ru": ["mailru"],
  icloud: ["sig1"],
  ionos: ["s1-ionos", "s2-ionos"],
  migadu: ["key1"],
  mailbox: ["mbo0001"],
  titan: ["titan1"],
  tuta: ["s1"],
  runbox: ["selector1-rbnet"],
  godaddy: ["default"],
  ovh: ["ovhmo-selector-1"],
  hostinger: ["hostingermail1"],
  gandi: ["gm1"],
  infomaniak: ["20230406"],
  rackspace: ["default"],
}

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

/**
 * Reads a tag list `k=v; k2=v2` of DKIM, DMARC or BIMI (RFC 6376 §3.2). Names are in lower case, values are trimmed.
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

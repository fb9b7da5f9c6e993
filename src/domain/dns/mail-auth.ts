/** Selectors that operators recommend, the most common first. Source: their setup pages. */
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

/** Reads a tag list (RFC 6376 §3.2); null for an invalid one. @param skipsErrors as DMARC requires (RFC 9989 §4.7) */
function readTags(text: string, { skipsErrors = false } = {}): ReadonlyMap<string, string> | null {
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

const POLICIES = ["none", "quarantine", "reject"] as const
type DmarcPolicy = (typeof POLICIES)[number]

export type Dmarc =
  | { readonly kind: "none" }
  | { readonly kind: "invalid"; readonly problem: "several_records" | "syntax" | "no_policy" }
  | {
      readonly kind: "record"
      /** The domain that publishes the record: the domain itself or a parent. */
      readonly foundAt: string
      /** The policy for the queried domain: `sp` of a parent's record. In test mode (`t=y`) it is one step milder. */
      readonly policy: DmarcPolicy
      readonly hasReports: boolean
    }

/** A name, without `_dmarc`, and its only record. */
export interface DmarcRecord {
  readonly name: string
  readonly record: string
}

/** The tree walk skips to this many labels after the query for a longer name (RFC 9989 §4.10). */
const MAX_LABELS_ABOVE = 7

/** Returns the names whose `_dmarc` may hold a domain's policy, in tree walk order: the domain, then its parents. */
export function dmarcNames(domain: string): string[] {
  const labels = domain.split(".")
  const above = labels.slice(Math.max(1, labels.length - MAX_LABELS_ABOVE))
  return [domain, ...above.map((_, at) => above.slice(at).join("."))]
}

/** The DMARC records of the TXT records of a `_dmarc` name. */
export function dmarcRecords(texts: readonly string[]): string[] {
  return texts.filter((text) => /^[vV]\s*=\s*DMARC1\s*(;|$)/.test(text))
}

/** Whether the tree walk ends at this record: it declares with `psd` whether its name is a public suffix. */
export function endsWalk({ record }: DmarcRecord): boolean {
  return /^[yn]$/.test(psdOf(record))
}

/** The record that applies (§4.10.2): the last of the tree walk, or the organization's below a public suffix. */
export function applicableRecord(found: readonly DmarcRecord[]): DmarcRecord | undefined {
  const last = found.at(-1)
  const before = found.at(-2)
  if (!last || !before || psdOf(last.record) !== "y") return last
  return before.name.split(".").length === last.name.split(".").length + 1 ? before : last
}

/** Reads the TXT records of a `_dmarc` name (RFC 9989 §4.7, §4.10.1). @param isSubdomain of the queried domain's */
export function readDmarc(
  texts: readonly string[],
  { foundAt, isSubdomain }: { foundAt: string; isSubdomain: boolean },
): Dmarc {
  const records = dmarcRecords(texts)
  if (records.length === 0) return { kind: "none" }
  if (records.length > 1) return { kind: "invalid", problem: "several_records" }
  const tags = readTags(records[0]!, { skipsErrors: true })
  if (!tags) return { kind: "invalid", problem: "syntax" }
  const hasReports = /mailto:/i.test(tags.get("rua") ?? "")
  const published = publishedPolicy(tags, isSubdomain)
  // A record that only requests reports counts as p=none.
  if (!published && !hasReports) return { kind: "invalid", problem: "no_policy" }
  const policy = tags.get("t")?.toLowerCase() === "y" ? milder(published) : published
  return { kind: "record", foundAt, policy: policy ?? "none", hasReports }
}

function psdOf(record: string): string {
  return readTags(record, { skipsErrors: true })?.get("psd")?.toLowerCase() ?? ""
}

/** Undefined when a policy in the record is unknown. Then no policy of the record applies. */
function publishedPolicy(tags: ReadonlyMap<string, string>, isSubdomain: boolean): DmarcPolicy | undefined {
  const p = policyOf(tags.get("p"))
  const sp = policyOf(tags.get("sp") ?? p)
  const np = policyOf(tags.get("np") ?? p)
  if (!p || !sp || !np) return undefined
  return isSubdomain ? sp : p
}

function milder(policy: DmarcPolicy | undefined): DmarcPolicy {
  return policy === "reject" ? "quarantine" : "none"
}

function policyOf(text: string | undefined): DmarcPolicy | undefined {
  return POLICIES.find((policy) => policy === text?.toLowerCase())
}

const MODES = ["enforce", "testing", "none"] as const
type MtaStsMode = (typeof MODES)[number]

interface MtaStsPolicy {
  readonly mode: MtaStsMode
  /** Host patterns; `*.` matches exactly one label. */
  readonly mx: readonly string[]
}

export type MtaSts =
  | { readonly kind: "none" }
  | { readonly kind: "invalid"; readonly problem: "several_records" | "record" | "policy" | "no_policy" }
  | { readonly kind: "policy"; readonly id: string; readonly mode: MtaStsMode; readonly coversMx: boolean | null }

type MtaStsRecord = Exclude<MtaSts, { kind: "policy" }> | { readonly kind: "record"; readonly id: string }

const MAX_AGE_LIMIT = 31_557_600

/** Reads the TXT records of `_mta-sts.<domain>` (RFC 8461 §3.1). */
export function readMtaStsRecord(texts: readonly string[]): MtaStsRecord {
  const records = texts.filter((text) => /^v=STSv1\s*(;|$)/.test(text))
  if (records.length === 0) return { kind: "none" }
  if (records.length > 1) return { kind: "invalid", problem: "several_records" }
  const id = /;\s*id=([A-Za-z0-9]{1,32})\s*(;|$)/.exec(records[0]!)?.[1]
  return id ? { kind: "record", id } : { kind: "invalid", problem: "record" }
}

/** Reads a policy file (RFC 8461 §3.2) of key/value lines. Only `mx` may repeat. Null for an invalid file. */
export function readMtaStsPolicy(text: string): MtaStsPolicy | null {
  const lines = text.split("\n").map((line) => line.split(":"))
  const pairs = lines.map(([key = "", ...value]) => ({ key: key.trim(), value: value.join(":").trim() }))
  const first = (key: string) => pairs.find((pair) => pair.key === key)?.value
  const mode = MODES.find((known) => known === first("mode"))
  const maxAge = first("max_age") ?? ""
  const mx = pairs.flatMap(({ key, value }) => (key === "mx" ? [value.toLowerCase()] : []))
  if (first("version") !== "STSv1" || !mode || !/^\d{1,10}$/.test(maxAge)) return null
  if (Number(maxAge) > MAX_AGE_LIMIT || (mode !== "none" && mx.length === 0)) return null
  return { mode, mx }
}

/** Whether the policy names every MX host. A wildcard matches the leftmost label only (RFC 8461 §4.1). */
export function policyCovers({ mx }: MtaStsPolicy, hosts: readonly string[]): boolean {
  return hosts.every((host) =>
    mx.some((pattern) =>
      pattern.startsWith("*.") ? host.slice(host.indexOf(".") + 1) === pattern.slice(2) : host === pattern,
    ),
  )
}

/** A brand logo assertion (draft-brand-indicators-for-message-identification §4). */
export type Bimi =
  | { readonly kind: "none" }
  | { readonly kind: "declined" } // an empty `l`: the domain publishes no logo
  | { readonly kind: "invalid" }
  | { readonly kind: "record"; readonly logo: string; readonly hasCertificate: boolean }

/** Bounded, because every result of the domain contains it. Browsers and mail programs accept no longer URL. */
const LOGO = /^https:\/\/\S{1,2000}$/i

/** Reads the TXT records of `default._bimi.<domain>`. */
export function readBimi(texts: readonly string[]): Bimi {
  const records = texts.filter((text) => /^v\s*=\s*BIMI1\s*(;|$)/.test(text))
  if (records.length === 0) return { kind: "none" }
  const tags = records.length === 1 ? readTags(records[0]!) : null
  const logo = tags?.get("l")
  if (!tags || logo === undefined) return { kind: "invalid" }
  const certificate = tags.get("a") ?? ""
  if (logo === "") return certificate === "" ? { kind: "declined" } : { kind: "invalid" }
  if (!LOGO.test(logo)) return { kind: "invalid" }
  return { kind: "record", logo, hasCertificate: /^https:\/\//i.test(certificate) }
}

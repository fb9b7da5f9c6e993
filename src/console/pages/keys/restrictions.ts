import type { KeyScope, Restrictions } from "../../api/shapes.ts"

/** What a key may be allowed to do: the name of its check box, and a sentence. */
export const SCOPES: readonly (readonly [KeyScope, name: string, sentence: string])[] = [
  ["verify", "Verify", "Verify single addresses and check domains."],
  ["lists", "Lists", "Verify lists and download their results."],
  ["find", "Find", "Find a person’s address and a domain’s formats."],
  ["suppression", "Suppression", "Read and change the suppression list."],
  ["feedback", "Feedback", "Report bounces, deliveries and replies."],
  ["account", "Account", "Everything else, such as webhooks, integrations and billing."],
]

export const EXPIRIES = [
  ["never", "Never"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In 1 year"],
  ["date", "On a date"],
] as const
export type Expiry = (typeof EXPIRIES)[number][0]

/** The fields of the forms of a key, by their names in the API. */
export const LABELS = {
  name: "Name",
  owner_email: "Your email address",
  expires_at: "Expires",
  scopes: "Allowed actions",
  allowed_networks: "Allowed networks",
  allowed_origins: "Allowed websites",
}

/** Restrictions as they are typed. */
export interface Draft {
  readonly expiry: Expiry
  /** The last day, such as "2027-03-03"; empty unless the expiry is a date. */
  readonly date: string
  readonly scopes: readonly KeyScope[]
  /** One per line. */
  readonly networks: string
  readonly websites: string
}

export type DraftField = "date" | "scopes" | "networks" | "websites"
/** What is wrong with a draft, and in which field. */
export interface Fault {
  readonly field: DraftField
  readonly message: string
}

const MOST_LINES = 20
const LONGEST_DAYS = 5 * 365
const DAY_MS = 86_400_000
const ALL_SCOPES = SCOPES.map(([scope]) => scope)

export function draftOf({ expires_at, scopes, allowed_networks, allowed_origins }: Restrictions): Draft {
  return {
    expiry: expires_at === null ? "never" : "date",
    date: expires_at === null ? "" : localDay(new Date(expires_at)),
    scopes: scopes ?? ALL_SCOPES,
    networks: (allowed_networks ?? []).join("\n"),
    websites: (allowed_origins ?? []).join("\n"),
  }
}

export const UNRESTRICTED: Restrictions = {
  expires_at: null,
  scopes: null,
  allowed_networks: null,
  allowed_origins: null,
}

/**
 * @param current the active restrictions: an expiry that the draft does not change stays to the second
 * @param now Unix milliseconds
 * @returns the restrictions, or the first fault
 */
export function readDraft(draft: Draft, current: Restrictions, now: number): Restrictions | Fault {
  const before = draftOf(current)
  const isSameExpiry = draft.expiry === before.expiry && draft.date === before.date
  const expires = isSameExpiry ? current.expires_at : expiryOf(draft, now)
  if (expires === "past") return { field: "date", message: "Last day: choose today or a later day." }
  if (expires === "too late") return { field: "date", message: "Last day: at most five years from today." }
  if (draft.scopes.length === 0) return { field: "scopes", message: "Allowed actions: choose at least one." }
  const networks = readLines("networks", "Allowed networks", draft.networks, networkOf, NETWORK_EXAMPLE)
  if ("field" in networks) return networks
  const websites = readLines("websites", "Allowed websites", draft.websites, originOf, WEBSITE_EXAMPLE)
  if ("field" in websites) return websites
  const isEveryScope = ALL_SCOPES.every((scope) => draft.scopes.includes(scope))
  return {
    expires_at: expires,
    scopes: isEveryScope ? null : ALL_SCOPES.filter((scope) => draft.scopes.includes(scope)),
    allowed_networks: networks.length === 0 ? null : networks,
    allowed_origins: websites.length === 0 ? null : websites,
  }
}

/** The end of the last day in the reader's time zone, in ISO 8601. */
function expiryOf({ expiry, date }: Draft, now: number): string | null {
  if (expiry === "never") return null
  const at = expiry === "date" ? new Date(`${date}T23:59:59`).getTime() : now + Number(expiry) * DAY_MS
  if (!(at > now)) return "past"
  return at > now + LONGEST_DAYS * DAY_MS ? "too late" : new Date(at).toISOString()
}

/** "2027-03-03" in the reader's time zone. */
export function localDay(at: Date): string {
  const two = (part: number) => String(part).padStart(2, "0")
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

const NETWORK_EXAMPLE = "an IP address or a range such as 203.0.113.0/24"
const WEBSITE_EXAMPLE = "a website such as https://app.example.org or https://*.example.org"

function readLines(
  field: DraftField,
  label: string,
  text: string,
  read: (line: string) => string | null,
  example: string,
): string[] | Fault {
  const found = new Set<string>()
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.trim()
    if (line === "") continue
    const value = read(line)
    if (value === null) return { field, message: `${label}, line ${index + 1}: “${line}” is not ${example}.` }
    found.add(value)
  }
  if (found.size > MOST_LINES) return { field, message: `${label}: at most ${MOST_LINES} lines, not ${found.size}.` }
  return [...found]
}

/** An address or a range as a CIDR block. */
function networkOf(line: string): string | null {
  const [address = "", prefix, ...rest] = line.split("/")
  const bits = addressBits(address)
  if (bits === null || rest.length > 0) return null
  if (prefix === undefined) return `${address}/${bits}`
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits ? `${address}/${Number(prefix)}` : null
}

/** @returns 32 for an IPv4 address, 128 for an IPv6 address */
function addressBits(address: string): 32 | 128 | null {
  if (/^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(address)) return 32
  return address.includes(":") && URL.canParse(`http://[${address}]/`) ? 128 : null
}

/** The service decides about what a wildcard may stand for. */
function originOf(line: string): string | null {
  const [, scheme, wildcard = "", host] = /^(https?:\/\/)(\*\.)?([^*]+)$/i.exec(line) ?? []
  if (host === undefined || !URL.canParse(`${scheme}${host}`)) return null
  const { origin, pathname, search, hash, username } = new URL(`${scheme}${host}`)
  const isOrigin = pathname === "/" && search === "" && hash === "" && username === ""
  return isOrigin ? origin.replace("//", `//${wildcard}`) : null
}

import { invalid, type Problem } from "../../api/call.ts"
import type { Key, KeyScope, Restrictions } from "../../api/shapes.ts"
import type { Values } from "../../parts/form.tsx"
import type { Tone } from "../../parts/text.tsx"
import { count, day } from "../../words.ts"

/** @returns the state of a key in a word, with the color of its badge */
export function stateOf(key: Key): readonly [words: string, tone: Tone] {
  if (key.is_active !== 1) return ["Revoked", "unknown"]
  return key.expired ? ["Expired", "accept_all"] : ["Active", "valid"]
}

/** Whether the key can be changed, rotated and revoked. An expired key can: a later expiry revives it. */
export const isInUse = (key: Key): boolean => key.is_active === 1

const LIST = new Intl.ListFormat("en")

/** Whether a key is publishable, by its text. */
export const isForForms = (apiKey: string): boolean => apiKey.startsWith("mv_pk_")

const PREFIXES: Readonly<Record<Key["kind"], string>> = { secret: "mv_live_", publishable: "mv_pk_", test: "mv_test_" }

/** The key as its owner recognizes it. */
export const shortened = ({ kind, last4 }: Key): string => `${PREFIXES[kind]}…${last4}`

/** "12 of 1,000 answers today"; empty for a secret key. */
export const todayOf = ({ used_today: used, daily_budget: budget }: Key): string =>
  used === null || budget === null ? "" : `${count(used)} of ${count(budget)} answers today`

/** "Verify and Lists only, until Mar 3, 2027, from 2 networks"; empty without restrictions. */
export function inBrief(key: Key): string {
  const { kind, expires_at, scopes, allowed_networks, allowed_origins } = key
  const parts = [
    kind === "publishable" && "forms only",
    kind === "test" && "sandbox addresses only, free",
    scopes && scopes.length > 0 && `${LIST.format(scopeNames(scopes))} only`,
    expires_at && `until ${day(expires_at)}`,
    allowed_networks && `from ${amountOf(allowed_networks, "network")}`,
    allowed_origins && `on ${amountOf(allowed_origins, "website")}`,
    todayOf(key),
  ]
  const brief = parts.filter(Boolean).join(", ")
  return `${brief.slice(0, 1).toUpperCase()}${brief.slice(1)}`
}

/** The names of scopes, in the order of the form. */
export const scopeNames = (scopes: NonNullable<Restrictions["scopes"]>): readonly string[] =>
  SCOPES.filter(([scope]) => scopes.includes(scope)).map(([, name]) => name)

/** What scopes allow, a name with a sentence for each. */
export const scopesInWords = (scopes: readonly KeyScope[]) => SCOPES.filter(([scope]) => scopes.includes(scope))

const amountOf = ({ length }: readonly string[], word: string) => `${length} ${word}${length === 1 ? "" : "s"}`

export const keyLink = (keyId: string): string => `#/keys/${encodeURIComponent(keyId)}`

/** What a key may be allowed to do: the name of its check box, and a sentence. */
const SCOPES: readonly (readonly [KeyScope, name: string, sentence: string])[] = [
  ["verify", "Verify", "Verify single addresses and check domains."],
  ["lists", "Lists", "Verify lists and download their results."],
  ["find", "Find", "Find a person’s address and a domain’s formats."],
  ["suppression", "Suppression", "Read and change the suppression list."],
  ["feedback", "Feedback", "Report bounces, deliveries and replies."],
  ["account", "Account", "Everything else, such as webhooks, integrations and billing."],
]

const EXPIRIES = [
  ["never", "Never"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In 1 year"],
  ["date", "On a date"],
] as const

/** The fields of a key's restrictions, by their names in the API. The last day is the console's own. */
export function restrictionFields({ expires_at, scopes, allowed_networks, allowed_origins }: Restrictions) {
  return {
    expires_at: { label: "Expires", options: EXPIRIES, initial: expires_at === null ? "never" : "date" },
    last_day: {
      label: "Last day",
      kind: "date",
      min: localDay(new Date()),
      initial: expires_at === null ? "" : localDay(new Date(expires_at)),
    },
    scopes: { label: "Allowed actions", kind: "choices", options: SCOPES, initial: scopes ?? ALL_SCOPES },
    allowed_networks: {
      label: "Allowed networks",
      kind: "lines",
      hint: "Only these IP addresses and ranges may use the key. One per line; empty means any.",
      placeholder: "203.0.113.0/24",
      initial: (allowed_networks ?? []).join("\n"),
    },
    allowed_origins: {
      label: "Allowed websites",
      kind: "lines",
      hint: "Only pages of these websites may use the key, and no other program. One per line; empty means any.",
      placeholder: "https://app.example.org",
      initial: (allowed_origins ?? []).join("\n"),
    },
  } as const
}

type Draft = Values<ReturnType<typeof restrictionFields>>

const MOST_LINES = 20
const LONGEST_DAYS = 5 * 365
const DAY_MS = 86_400_000
const ALL_SCOPES = SCOPES.map(([scope]) => scope)

export const UNRESTRICTED: Restrictions = {
  expires_at: null,
  scopes: null,
  allowed_networks: null,
  allowed_origins: null,
}

/**
 * @param current the active restrictions: an expiry that the draft does not change stays to the second
 * @param now Unix milliseconds
 * @returns the restrictions, or the first problem
 */
export function readDraft(draft: Draft, current: Restrictions, now: number): Restrictions | Problem {
  const before = restrictionFields(current)
  const isSameExpiry = draft.expires_at === before.expires_at.initial && draft.last_day === before.last_day.initial
  const expires = isSameExpiry ? current.expires_at : expiryOf(draft, now)
  if (expires === "past") return invalid("Last day: choose today or a later day.", "last_day")
  if (expires === "too late") return invalid("Last day: at most five years from today.", "last_day")
  if (draft.scopes.length === 0) return invalid("Allowed actions: choose at least one.", "scopes")
  const networks = readLines("allowed_networks", "Allowed networks", draft.allowed_networks, networkOf, NETWORK_EXAMPLE)
  if ("message" in networks) return networks
  const websites = readLines("allowed_origins", "Allowed websites", draft.allowed_origins, originOf, WEBSITE_EXAMPLE)
  if ("message" in websites) return websites
  const isEveryScope = ALL_SCOPES.every((scope) => draft.scopes.includes(scope))
  return {
    expires_at: expires,
    scopes: isEveryScope ? null : ALL_SCOPES.filter((scope) => draft.scopes.includes(scope)),
    allowed_networks: networks.length === 0 ? null : networks,
    allowed_origins: websites.length === 0 ? null : websites,
  }
}

/** The end of the last day in the reader's time zone, in ISO 8601. */
function expiryOf({ expires_at: expiry, last_day: date }: Draft, now: number): string | null {
  if (expiry === "never") return null
  const at = expiry === "date" ? new Date(`${date}T23:59:59`).getTime() : now + Number(expiry) * DAY_MS
  if (!(at > now)) return "past"
  return at > now + LONGEST_DAYS * DAY_MS ? "too late" : new Date(at).toISOString()
}

/** "2027-03-03" in the reader's time zone. */
function localDay(at: Date): string {
  const two = (part: number) => String(part).padStart(2, "0")
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

const NETWORK_EXAMPLE = "an IP address or a range such as 203.0.113.0/24"
const WEBSITE_EXAMPLE = "a website such as https://app.example.org or https://*.example.org"

function readLines(
  field: keyof Draft,
  label: string,
  text: string,
  read: (line: string) => string | null,
  example: string,
): string[] | Problem {
  const found = new Set<string>()
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.trim()
    if (line === "") continue
    const value = read(line)
    if (value === null) return invalid(`${label}, line ${index + 1}: “${line}” is not ${example}.`, field)
    found.add(value)
  }
  if (found.size > MOST_LINES) return invalid(`${label}: at most ${MOST_LINES} lines, not ${found.size}.`, field)
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

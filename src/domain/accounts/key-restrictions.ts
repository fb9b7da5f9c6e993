import ipaddr from "ipaddr.js"
import { getDomain } from "tldts"
import type { KeyKind } from "./credentials.ts"

/** Groups of endpoints that a key may be restricted to. The HTTP layer maps each endpoint to one of them. */
export const KEY_SCOPES = ["verify", "lists", "find", "suppression", "feedback", "account"] as const
export type KeyScope = (typeof KEY_SCOPES)[number]

/** How a publishable key answers the forms of a site. */
export interface FormPolicy {
  /** Answers a UTC day, at most. */
  readonly dailyBudget: number
  /** Requests a minute of one visitor's network, at most. */
  readonly perMinute: number
  /** How long an answer may wait for the mail server, in milliseconds. Null: no mail server is probed. */
  readonly liveTimeoutMs: number | null
}

export const DEFAULT_FORM_POLICY: FormPolicy = { dailyBudget: 1_000, perMinute: 20, liveTimeoutMs: null }

/** What a key may do. Null in a field means no restriction; at least one field is not null. */
export interface KeyRestrictions {
  /** Unix milliseconds. */
  readonly expiresAt: number | null
  readonly scopes: readonly KeyScope[] | null
  /** Networks as CIDR, in their normal form. */
  readonly networks: readonly string[] | null
  /** Web origins, such as "https://shop.example" or "https://*.shop.example". */
  readonly origins: readonly string[] | null
  /** Of a publishable key. Its `scopes` are empty, so that older versions of the service refuse it. */
  readonly form: FormPolicy | null
  /** Of a test key, for its whole life. Missing in what was stored before test keys. */
  readonly isTest?: boolean
}

export const UNRESTRICTED: KeyRestrictions = {
  expiresAt: null,
  scopes: null,
  networks: null,
  origins: null,
  form: null,
}

/** A key's kind never changes. @param restrictions null for a key without any */
export function kindOf(restrictions: Pick<RestrictionChange, "form" | "isTest"> | null): KeyKind {
  if (restrictions?.form) return "publishable"
  return restrictions?.isTest ? "test" : "secret"
}

/** A change of restrictions. A field that is left out stays. */
export type RestrictionChange = Partial<Omit<KeyRestrictions, "form">> & { readonly form?: Partial<FormPolicy> | null }

export const MAX_RESTRICTION_ENTRIES = 20

/** The request as its key's restrictions see it. */
export interface RestrictedRequest {
  /** Unix milliseconds. */
  readonly now: number
  /** Null for a request that every key may make. */
  readonly scope: KeyScope | null
  /** Undefined when the platform does not report it. */
  readonly clientIp: string | undefined
  readonly origin: string | undefined
}

/** The first restriction that refuses the request; null when none does. An unknown client or origin is refused. */
export function brokenRestriction(
  { expiresAt, scopes, networks, origins }: KeyRestrictions,
  { now, scope, clientIp, origin }: RestrictedRequest,
): "expired" | "scope" | "network" | "origin" | null {
  if (expiresAt !== null && now >= expiresAt) return "expired"
  if (networks && !networks.some((network) => contains(network, clientIp))) return "network"
  if (origins && (origin === undefined || !origins.some((allowed) => isOrigin(origin, allowed)))) return "origin"
  if (scopes && scope !== null && !scopes.includes(scope)) return "scope"
  return null
}

/** The normal form of an address or CIDR network (RFC 4632, RFC 4291 section 2.3); null for any other text. */
export function normalNetwork(text: string): string | null {
  const [address = "", prefix] = text.trim().split("/", 2)
  if (!isAddress(address) || text.split("/").length > 2) return null
  const parsed = ipaddr.process(address)
  const most = parsed.kind() === "ipv4" ? 32 : 128
  if (prefix !== undefined && !/^\d{1,3}$/.test(prefix)) return null
  // The prefix of an IPv4 address in IPv6 form counts 96 bits more.
  const isMapped = parsed.kind() === "ipv4" && address.includes(":")
  const bits = prefix === undefined ? most : Number(prefix) - (isMapped ? 96 : 0)
  if (bits < 0 || bits > most) return null
  return cidrOf(parsed, bits)
}

/** The network of an address, as CIDR. */
export function cidrOf(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string {
  const family = address.kind() === "ipv4" ? ipaddr.IPv4 : ipaddr.IPv6
  return `${family.networkAddressFromCIDR(`${address}/${bits}`)}/${bits}`
}

/** The parser also accepts zones, "1" and octal numbers, which mean another address to other programs. */
function isAddress(text: string): boolean {
  if (text.includes("%")) return false
  return text.includes(":") ? ipaddr.IPv6.isValid(text) : ipaddr.IPv4.isValidFourPartDecimal(text)
}

function contains(network: string, ip: string | undefined): boolean {
  if (!ip || !ipaddr.isValid(ip)) return false
  const address = ipaddr.process(ip)
  const range = ipaddr.parseCIDR(network)
  return address.kind() === range[0].kind() && address.match(range)
}

/** Begins a host whose first label may be any. */
const ANY_LABEL = "*."
/** Replaces the wildcard for a URL parser: parsers differ about `*` in a host. */
const SOME_LABEL = "any."

/** The normal form of a web origin (RFC 6454), maybe with one wildcard label; null over a public suffix (`*.co.uk`). */
export function normalOrigin(text: string): string | null {
  const given = text.trim()
  const isWildcard = /^https?:\/\/\*\./i.test(given)
  const url = URL.parse(isWildcard ? given.replace(ANY_LABEL, SOME_LABEL) : given)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return null
  if (url.hostname.includes("*") || url.pathname !== "/" || url.search !== "" || url.hash !== "") return null
  if (!isWildcard) return url.origin
  const parent = url.hostname.slice(SOME_LABEL.length)
  if (getDomain(parent, { allowPrivateDomains: true }) === null) return null
  return url.origin.replace(SOME_LABEL, ANY_LABEL)
}

/** Whether an Origin header is allowed. A wildcard matches exactly one label (RFC 6125 section 6.4.3). */
export function isOrigin(origin: string, allowed: string): boolean {
  const [scheme, parent] = allowed.split(`//${ANY_LABEL}`)
  if (parent === undefined) return origin === allowed
  const [start, end] = [`${scheme}//`, `.${parent}`]
  if (!origin.startsWith(start) || !origin.endsWith(end)) return false
  return /^[a-z0-9_-]+$/.test(origin.slice(start.length, -end.length))
}

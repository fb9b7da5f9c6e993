import { getDomain } from "tldts"

/** Begins a host whose first label may be any. */
const ANY_LABEL = "*."
/** Takes the place of the wildcard for a URL parser: parsers differ about `*` in a host. */
const SOME_LABEL = "any."

/**
 * The normal form of a web origin (RFC 6454 section 6.1), whose host may begin with one wildcard label:
 * `https://*.shop.example`. Null for a path, another scheme, another wildcard, and a wildcard over a public suffix: the
 * sites below `*.co.uk` and `*.github.io` belong to many owners.
 */
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

/**
 * Whether an Origin header is the allowed origin. A wildcard matches exactly one label, as in a certificate (RFC 6125
 * section 6.4.3): `https://*.shop.example` is neither `https://shop.example` nor `https://a.b.shop.example`.
 * @param allowed in its normal form
 */
export function isOrigin(origin: string, allowed: string): boolean {
  const [scheme, parent] = allowed.split(`//${ANY_LABEL}`)
  if (parent === undefined) return origin === allowed
  const [start, end] = [`${scheme}//`, `.${parent}`]
  if (!origin.startsWith(start) || !origin.endsWith(end)) return false
  return /^[a-z0-9_-]+$/.test(origin.slice(start.length, -end.length))
}

import { MAILBOX_RULES } from "../address/canonical-rules.ts"

/** Domains whose tags begin with "-". Yahoo user names contain none, so "name-shop" is always a Yahoo alias. */
const HYPHEN_TAGS = /^(yahoo\.[a-z.]{2,6}|ymail\.(com|ne\.jp)|rocketmail\.com|myyahoo\.com|yahoomail\.com)$/

/** Providers that read tag@user.<domain> as user+tag@<domain>. */
const SUBDOMAIN_USERS: ReadonlySet<string> = new Set([
  ...MAILBOX_RULES.flatMap((rule) => (rule.hasNameSubdomains ? rule.domains : [])),
  "sent.com",
])

export interface Subaddress {
  /** The mailbox without its tag. */
  readonly mailbox: string
  readonly tag: string | null
}

/**
 * Splits a lower-case local part into mailbox and tag: by "+" anywhere (RFC 5233), by "-" at Yahoo, by the subdomain at
 * Fastmail. A tag needs a mailbox before it: "+tag" alone is a mailbox.
 */
export function splitSubaddress(local: string, domain: string): Subaddress {
  const parent = domain.slice(domain.indexOf(".") + 1)
  if (SUBDOMAIN_USERS.has(parent)) return { mailbox: domain.slice(0, domain.indexOf(".")), tag: local }
  const plus = cutAt(local, "+")
  if (plus.tag !== null || !HYPHEN_TAGS.test(domain)) return plus
  return cutAt(local, "-")
}

function cutAt(local: string, separator: string): Subaddress {
  const at = local.indexOf(separator, 1)
  return at < 0 ? { mailbox: local, tag: null } : { mailbox: local.slice(0, at), tag: local.slice(at + 1) }
}

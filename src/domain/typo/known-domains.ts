import { PROVIDER_DOMAINS } from "./providers.ts"

/**
 * Domains that receive mail and lie a slip or two from a popular one: never corrected.
 * Sources: willwhite/freemail free.txt, mail.com's and GMX's own lists of domains, company and university sites.
 */
const NEIGHBOURS = `
  1mail.com mail.com orange.com email.com
`

const KNOWN = new Set(NEIGHBOURS.trim().split(/\s+/))

/** Whether mail to the domain is known to work, so that it is no slip of any other. */
export function isKnownDomain(domain: string): boolean {
  return PROVIDER_DOMAINS.has(domain) || KNOWN.has(domain)
}

import type { Dns } from "../../adapters/dns/resolver.ts"
import { type Dkim, readDkimKey } from "../../domain/mail-auth/dkim.ts"
import { COMMON_SELECTORS, SELECTORS_OF } from "../../domain/mail-auth/dkim-selectors.ts"
import { findOperator, mailHostsOf } from "../../domain/smtp-reply/operators.ts"
import type { MailRoute } from "../../domain/verdict/evidence.ts"
import { texts } from "./txt-records.ts"

/** A name that does not exist. If it resolves, a wildcard answers for every name and existence proves nothing. */
const NOBODYS_LABEL = "mv-no-such-name-7q2x"

/** This many selectors expose a zone that denies existing names. */
const SAMPLE = 4

/**
 * Finds DKIM keys. DNS cannot list them, but a name above existing names exists (RFC 8020). NOERROR at `_domainkey`
 * shows keys unless the zone answers every name. NXDOMAIN shows none unless the zone denies existing names. Otherwise
 * the common selectors are tried.
 */
export async function findDkim(dns: Dns, domain: string, route: MailRoute): Promise<Dkim | null> {
  const likely = SELECTORS_OF[findOperator(mailHostsOf(route)[0])?.name ?? ""] ?? []
  const [parent, found] = await Promise.all([dns.resolve(`_domainkey.${domain}`, "TXT"), withKeys(dns, domain, likely)])
  if (found.length > 0) return { present: true, selectors: found, shownBy: "key" }
  if (parent.kind === "failure") return null
  if (parent.kind !== "no_such_domain" && (await isHonest(dns, domain)))
    return { present: true, selectors: [], shownBy: "name" }
  const others = COMMON_SELECTORS.filter((selector) => !likely.includes(selector))
  const sample = await withKeys(dns, domain, others.slice(0, SAMPLE))
  const isBelieved = parent.kind === "no_such_domain" && sample.length === 0
  const selectors = isBelieved ? [] : [...sample, ...(await withKeys(dns, domain, others.slice(SAMPLE)))]
  return { present: selectors.length > 0, selectors, shownBy: selectors.length > 0 ? "key" : null }
}

/**
 * The same by every known selector, so that the answer names them. A domain whose only known keys are revoked has none.
 */
export async function findAllDkim(dns: Dns, domain: string, route: MailRoute): Promise<Dkim | null> {
  const known = [...new Set([...COMMON_SELECTORS, ...Object.values(SELECTORS_OF).flat()])]
  const [found, keys] = await Promise.all([
    findDkim(dns, domain, route),
    Promise.all(known.map((selector) => keyAt(dns, domain, selector))),
  ])
  const selectors = known.filter((_, index) => keys[index] === "usable")
  if (selectors.length > 0) return { present: true, selectors, shownBy: "key" }
  if (keys.includes("revoked") && found?.shownBy === "name") return { present: false, selectors, shownBy: null }
  return found
}

/** Returns the selectors that have a key. */
async function withKeys(dns: Dns, domain: string, selectors: readonly string[]): Promise<string[]> {
  const keys = await Promise.all(selectors.map((selector) => keyAt(dns, domain, selector)))
  return selectors.filter((_, index) => keys[index] === "usable")
}

async function keyAt(dns: Dns, domain: string, selector: string): Promise<ReturnType<typeof readDkimKey>> {
  return readDkimKey((await texts(dns, `${selector}._domainkey.${domain}`)) ?? [])
}

/** Returns whether the zone denies a missing name below `_domainkey`: a wildcard there may withdraw every key. */
async function isHonest(dns: Dns, domain: string): Promise<boolean> {
  return (await dns.resolve(`${NOBODYS_LABEL}._domainkey.${domain}`, "TXT")).kind === "no_such_domain"
}

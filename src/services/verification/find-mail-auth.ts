import type { Dns } from "../../adapters/dns/resolver.ts"
import type { Web } from "../../adapters/web/safe-fetch.ts"
import { findOperator, mailHostsOf } from "../../domain/mail/operators.ts"
import { type Bimi, readBimi } from "../../domain/mail-auth/bimi.ts"
import { type Dkim, hasDkimKey } from "../../domain/mail-auth/dkim.ts"
import { COMMON_SELECTORS, SELECTORS_OF } from "../../domain/mail-auth/dkim-selectors.ts"
import {
  type Dmarc,
  type DmarcPlace,
  dmarcNames,
  dmarcRecords,
  endsWalk,
  policyPlace,
  readDmarc,
} from "../../domain/mail-auth/dmarc.ts"
import { type MtaSts, policyCovers, readMtaStsPolicy, readMtaStsRecord } from "../../domain/mail-auth/mta-sts.ts"
import type { MailRoute } from "../../domain/verdict/evidence.ts"

/** A name nobody has: when it exists all the same, a wildcard answers for everything and existence shows nothing. */
const NOBODYS_LABEL = "mv-no-such-name-7q2x"

/** The texts at a name; none when there is no such record, null when DNS gave no answer. */
async function texts(dns: Dns, name: string): Promise<readonly string[] | null> {
  const answer = await dns.resolve(name, "TXT")
  if (answer.kind === "failure") return null
  return answer.kind === "records" ? answer.records : []
}

/**
 * DMARC of the domain itself, else of the organisation or public suffix above it, found by walking up the tree (RFC 9989
 * §4.10). Several records above are as good as none. Null when DNS gave no answer.
 */
export async function findDmarc(dns: Dns, domain: string): Promise<Dmarc | null> {
  const above: DmarcPlace[] = []
  for (const name of dmarcNames(domain)) {
    const found = await texts(dns, `_dmarc.${name}`)
    if (found === null) return null
    const records = dmarcRecords(found)
    if (name === domain && records.length > 0) return readDmarc(records, { foundAt: name, isSubdomain: false })
    if (records.length !== 1) continue
    const place = { name, record: records[0]! }
    above.push(place)
    if (endsWalk(place)) break
  }
  const place = policyPlace(above)
  return place ? readDmarc([place.record], { foundAt: place.name, isSubdomain: true }) : { kind: "none" }
}

/** A zone that denies a name which is there is found out by these many selectors. */
const SAMPLE = 4

/**
 * Looks for DKIM keys. They cannot be listed, but a name above existing names exists (RFC 8020): NOERROR at
 * `_domainkey` shows keys, unless the zone answers so for every name, and NXDOMAIN that there are none, unless the zone
 * denies what is there. Else the usual selectors are tried.
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

/** Those of the selectors at which a key stands. */
async function withKeys(dns: Dns, domain: string, selectors: readonly string[]): Promise<string[]> {
  const found = await Promise.all(selectors.map((selector) => hasKey(dns, domain, selector)))
  return selectors.filter((_, index) => found[index])
}

async function hasKey(dns: Dns, domain: string, selector: string): Promise<boolean> {
  return hasDkimKey((await texts(dns, `${selector}._domainkey.${domain}`)) ?? [])
}

/** Whether the zone denies a name below `_domainkey` that nobody has: a wildcard there may withdraw every key. */
async function isHonest(dns: Dns, domain: string): Promise<boolean> {
  return (await dns.resolve(`${NOBODYS_LABEL}._domainkey.${domain}`, "TXT")).kind === "no_such_domain"
}

/** MTA-STS: the record in DNS and the policy on the web that it announces (RFC 8461). Null when either gave no answer. */
export async function findMtaSts(
  { dns, web }: { dns: Dns; web: Web },
  domain: string,
  route: MailRoute,
): Promise<MtaSts | null> {
  const own = await texts(dns, `_mta-sts.${domain}`)
  const record = own && readMtaStsRecord(own)
  if (record?.kind !== "record") return record
  // Redirects must not be followed (§3.3).
  const answer = await web.get(`https://mta-sts.${domain}/.well-known/mta-sts.txt`, { maxRedirects: 0 })
  if (answer.kind === "dns_failure" || answer.kind === "unreachable") return null
  if (answer.kind !== "answer" || answer.status !== 200 || answer.contentType !== "text/plain")
    return { kind: "invalid", problem: "no_policy" }
  const policy = readMtaStsPolicy(answer.text)
  if (!policy) return { kind: "invalid", problem: "policy" }
  const hosts = mailHostsOf(route)
  return {
    kind: "policy",
    id: record.id,
    mode: policy.mode,
    coversMx: hosts.length === 0 ? null : policyCovers(policy, hosts),
  }
}

/** The brand logo a domain announces. Null when DNS gave no answer. */
export async function findBimi(dns: Dns, domain: string): Promise<Bimi | null> {
  const own = await texts(dns, `default._bimi.${domain}`)
  return own && readBimi(own)
}

import type { DnsAnswer } from "../../adapters/dns/message.ts"
import type { Dns } from "../../adapters/dns/resolver.ts"
import type { Web } from "../../adapters/web-pages.ts"
import {
  applicableRecord,
  type Bimi,
  COMMON_SELECTORS,
  type Dkim,
  type Dmarc,
  type DmarcRecord,
  dmarcNames,
  dmarcRecords,
  endsWalk,
  type MtaSts,
  policyCovers,
  readBimi,
  readDkimKey,
  readDmarc,
  readMtaStsPolicy,
  readMtaStsRecord,
  SELECTORS_OF,
} from "../../domain/dns/mail-auth.ts"
import { findOperator, mailHostsOf } from "../../domain/smtp-reply/operators.ts"
import type { MailRoute } from "../../domain/verification/evidence.ts"

/**
 * Finds DMARC at the domain, else by a tree walk at the organization or public suffix above (RFC 9989 §4.10). Several
 * records above count as none. Null when DNS gave no answer.
 */
export async function findDmarc(dns: Dns, domain: string): Promise<Dmarc | null> {
  const above: DmarcRecord[] = []
  for (const name of dmarcNames(domain)) {
    const found = await texts(dns, `_dmarc.${name}`)
    if (found === null) return null
    const records = dmarcRecords(found)
    if (name === domain && records.length > 0) return readDmarc(records, { foundAt: name, isSubdomain: false })
    if (records.length !== 1) continue
    const next = { name, record: records[0]! }
    above.push(next)
    if (endsWalk(next)) break
  }
  const found = applicableRecord(above)
  return found ? readDmarc([found.record], { foundAt: found.name, isSubdomain: true }) : { kind: "none" }
}

/** Finds the MTA-STS record and the web policy that it announces (RFC 8461). Null when either gave no answer. */
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

/** Finds the brand logo that a domain publishes. Null when DNS gave no answer. */
export async function findBimi(dns: Dns, domain: string): Promise<Bimi | null> {
  const own = await texts(dns, `default._bimi.${domain}`)
  return own && readBimi(own)
}

/** A name that does not exist. If it resolves, a wildcard answers for every name and existence proves nothing. */
const MISSING_LABEL = "mv-no-such-name-7q2x"

/** Number of selectors to fetch first. They have the keys of most domains, and expose a zone that denies real names. */
const SAMPLE = 4

const KNOWN_SELECTORS = [...new Set([...COMMON_SELECTORS, ...Object.values(SELECTORS_OF).flat()])]

/**
 * Finds DKIM keys, and stops at the first ones: those of the mail operator, then the most common selectors, then all
 * known ones. NXDOMAIN at `_domainkey` shows that no name exists below it (RFC 8020), unless the zone denies existing
 * names. Null when DNS gave no answer.
 */
export async function findDkim(dns: Dns, domain: string, route: MailRoute): Promise<Dkim | null> {
  const likely = SELECTORS_OF[findOperator(mailHostsOf(route)[0])?.name ?? ""] ?? []
  const [parent, first] = await Promise.all([parentOf(dns, domain), keysAt(dns, domain, likely)])
  if (hasUsable(first)) return conclude(dns, { domain, parent, keys: first })
  if (parent.kind === "failure") return null
  const others = KNOWN_SELECTORS.filter((selector) => !likely.includes(selector))
  const keys = [...first, ...(await keysAt(dns, domain, others.slice(0, SAMPLE)))]
  const isDenied = parent.kind === "no_such_domain" && keys.every(({ key }) => key === null)
  if (isDenied || hasUsable(keys)) return conclude(dns, { domain, parent, keys })
  const rest = await keysAt(dns, domain, others.slice(SAMPLE))
  return conclude(dns, { domain, parent, keys: [...keys, ...rest] })
}

/** The same by every known selector, so that the result names all of them that have a key. */
export async function findAllDkim(dns: Dns, domain: string): Promise<Dkim | null> {
  const [parent, keys] = await Promise.all([parentOf(dns, domain), keysAt(dns, domain, KNOWN_SELECTORS)])
  return conclude(dns, { domain, parent, keys })
}

interface SelectorKey {
  readonly selector: string
  readonly key: ReturnType<typeof readDkimKey> | "no_answer"
}

/** A name below `_domainkey` is no proof of a key: it may be revoked. So a name alone leaves the presence unknown. */
async function conclude(
  dns: Dns,
  { domain, parent, keys }: { domain: string; parent: DnsAnswer<"TXT">; keys: readonly SelectorKey[] },
): Promise<Dkim | null> {
  const selectors = keys.flatMap(({ selector, key }) => (key === "usable" ? [selector] : []))
  if (selectors.length > 0) return { present: true, selectors, shownBy: "key" }
  if (parent.kind === "failure" || keys.some(({ key }) => key === "no_answer")) return null
  const isExplained = parent.kind === "no_such_domain" || keys.some(({ key }) => key === "revoked")
  if (isExplained || !(await deniesMissingNames(dns, domain))) return { present: false, selectors, shownBy: null }
  return { present: null, selectors, shownBy: "name" }
}

function parentOf(dns: Dns, domain: string): Promise<DnsAnswer<"TXT">> {
  return dns.resolve(`_domainkey.${domain}`, "TXT")
}

function hasUsable(keys: readonly SelectorKey[]): boolean {
  return keys.some(({ key }) => key === "usable")
}

function keysAt(dns: Dns, domain: string, selectors: readonly string[]): Promise<SelectorKey[]> {
  return Promise.all(
    selectors.map(async (selector) => {
      const found = await texts(dns, `${selector}._domainkey.${domain}`)
      return { selector, key: found === null ? ("no_answer" as const) : readDkimKey(found) }
    }),
  )
}

/** Whether the zone denies a missing name below `_domainkey`. A wildcard there may revoke every key. */
async function deniesMissingNames(dns: Dns, domain: string): Promise<boolean> {
  return (await dns.resolve(`${MISSING_LABEL}._domainkey.${domain}`, "TXT")).kind === "no_such_domain"
}

/** Returns the TXT records of a name: none when there is no record, null when DNS gave no answer. */
async function texts(dns: Dns, name: string): Promise<readonly string[] | null> {
  const answer = await dns.resolve(name, "TXT")
  if (answer.kind === "failure") return null
  return answer.kind === "records" ? answer.records : []
}

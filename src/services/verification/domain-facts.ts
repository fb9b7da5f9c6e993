import type { Dns } from "../../adapters/dns/resolver.ts"
import type { Deps } from "../../deps.ts"
import type { DomainFacts, MailRoute } from "../../domain/verdict/evidence.ts"

type Needs = Pick<Deps, "clock" | "dns" | "results">

const FRESH_MS = 60 * 60_000
/** DNS trouble is looked at again at the next call; it is never kept. */
const isKept = (facts: DomainFacts) => facts.route.kind !== "dns_failure"

/** The facts of a domain: as stored when they are fresh, else asked of DNS and stored for every address of the domain. */
export async function domainFacts(
  { clock, dns, results }: Needs,
  { domain, stored }: { domain: string; stored: DomainFacts | null },
): Promise<DomainFacts> {
  const now = clock.now()
  if (stored && stored.checkedAt + FRESH_MS > now) return stored
  const [route, spfValid, dmarcPresent, dkimPresent] = await Promise.all([
    findMailRoute(dns, domain),
    hasOneSpfRecord(dns, domain),
    hasDmarcRecord(dns, domain),
    hasDomainKeys(dns, domain),
  ])
  const facts: DomainFacts = { domain, route, spfValid, dmarcPresent, dkimPresent, checkedAt: now }
  if (isKept(facts)) await results.saveFacts(facts, now + FRESH_MS)
  return facts
}

/** Where mail for a domain goes: MX, else the address record of the domain itself (RFC 5321 §5.1); "." is null MX (RFC 7505). */
export async function findMailRoute(dns: Dns, domain: string): Promise<MailRoute> {
  const mx = await dns.resolve(domain, "MX")
  if (mx.kind === "failure") return { kind: "dns_failure", reason: mx.reason }
  if (mx.kind === "no_such_domain") return { kind: "no_such_domain" }
  if (mx.kind === "no_data") return findImplicitMx(dns, domain)
  const hosts = mx.records.filter(({ host }) => host !== "" && host !== ".")
  if (hosts.length === 0) return { kind: "null_mx" }
  return { kind: "mx", hosts: hosts.toSorted((a, b) => a.preference - b.preference) }
}

async function findImplicitMx(dns: Dns, domain: string): Promise<MailRoute> {
  const answers = await Promise.all([dns.resolve(domain, "A"), dns.resolve(domain, "AAAA")])
  if (answers.some(({ kind }) => kind === "records"))
    return { kind: "implicit_mx", hosts: [{ host: domain, preference: 0 }] }
  const failure = answers.find((answer) => answer.kind === "failure")
  return failure ? { kind: "dns_failure", reason: failure.reason } : { kind: "no_mail_host" }
}

/** Exactly one v=spf1 record; two are a permanent error (RFC 7208 §4.5). Null when DNS gave no answer. */
async function hasOneSpfRecord(dns: Dns, domain: string): Promise<boolean | null> {
  const txt = await dns.resolve(domain, "TXT")
  if (txt.kind === "failure") return null
  return txt.kind === "records" && txt.records.filter((record) => /^v=spf1( |$)/i.test(record)).length === 1
}

async function hasDmarcRecord(dns: Dns, domain: string): Promise<boolean | null> {
  const txt = await dns.resolve(`_dmarc.${domain}`, "TXT")
  if (txt.kind === "failure") return null
  return txt.kind === "records" && txt.records.some((record) => /^v=DMARC1\s*;/.test(record))
}

/** Keys cannot be listed, but a name above existing names exists: NXDOMAIN at _domainkey means no keys (RFC 8020). */
async function hasDomainKeys(dns: Dns, domain: string): Promise<boolean | null> {
  const answer = await dns.resolve(`_domainkey.${domain}`, "TXT")
  return answer.kind === "failure" ? null : answer.kind !== "no_such_domain"
}

import { PROBE_LIMITS } from "../../../schema/wire/probe.ts"
import { addressesOf } from "../../adapters/dns/addresses-of.ts"
import type { MxRecord } from "../../adapters/dns/answer.ts"
import type { Dns } from "../../adapters/dns/resolver.ts"
import type { Exchanger, MailRoute } from "../../domain/verdict/evidence.ts"

/** Hosts looked at: a sender rarely gets past the third; past the fifth, where the first are dead, no node of ours goes. */
const MAX_EXCHANGERS = 3
const MAX_BEHIND_DEAD = 5
/** Addresses kept of a host: they stand in every result of the domain, and DNS may answer thousands. */
const MAX_ADDRESSES = 16

/** Where mail for a domain goes: MX, else the address record of the domain itself (RFC 5321 §5.1); "." is null MX (RFC 7505). */
export async function findMailRoute(dns: Dns, domain: string): Promise<MailRoute> {
  const mx = await dns.resolve(domain, "MX")
  if (mx.kind === "failure") return { kind: "dns_failure", reason: mx.reason }
  if (mx.kind === "no_such_domain") return { kind: "no_such_domain" }
  if (mx.kind === "no_data") return findImplicitMx(dns, domain)
  const hosts = mx.records.filter(({ host }) => host !== "" && host !== ".")
  if (hosts.length === 0) return { kind: "null_mx" }
  return { kind: "mx", hosts: hosts.toSorted(byPreference).slice(0, PROBE_LIMITS.mxHosts) }
}

/** Hosts of one preference by name: DNS gives them in any order, and domains with the same hosts must look alike. */
function byPreference(a: MxRecord, b: MxRecord): number {
  return a.preference - b.preference || (a.host < b.host ? -1 : 1)
}

async function findImplicitMx(dns: Dns, domain: string): Promise<MailRoute> {
  const answers = await Promise.all([dns.resolve(domain, "A"), dns.resolve(domain, "AAAA")])
  if (answers.some(({ kind }) => kind === "records"))
    return { kind: "implicit_mx", hosts: [{ host: domain, preference: 0 }] }
  const failure = answers.find((answer) => answer.kind === "failure")
  return failure ? { kind: "dns_failure", reason: failure.reason } : { kind: "no_mail_host" }
}

/** The first mail hosts with their addresses, dead ones and aliases told apart. */
export async function findExchangers(dns: Dns, route: MailRoute): Promise<Exchanger[]> {
  const hosts = route.kind === "mx" || route.kind === "implicit_mx" ? route.hosts : []
  const look = (from: number, to: number) =>
    Promise.all(hosts.slice(from, to).map(({ host }) => findExchanger(dns, host)))
  const first = await look(0, MAX_EXCHANGERS)
  const areDead = first.every(({ addresses }) => addresses?.length === 0)
  return areDead ? [...first, ...(await look(MAX_EXCHANGERS, MAX_BEHIND_DEAD))] : first
}

async function findExchanger(dns: Dns, host: string): Promise<Exchanger> {
  const [addresses, alias] = await Promise.all([addressesOf(dns, host), dns.resolve(host, "CNAME")])
  return {
    host,
    addresses: addresses?.slice(0, MAX_ADDRESSES) ?? null,
    isAlias: alias.kind === "failure" ? null : alias.kind === "records",
  }
}

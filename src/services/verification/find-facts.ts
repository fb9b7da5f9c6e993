import { getDomain } from "tldts"
import { PROBE_LIMITS } from "../../../schema/wire/probe.ts"
import { checkSpf } from "../../../schema/wire/spf.ts"
import type { MxRecord } from "../../adapters/dns/message.ts"
import type { Dns } from "../../adapters/dns/resolver.ts"
import type { Web } from "../../adapters/web-pages.ts"
import type { Context } from "../../context.ts"
import { addressesOf, canBeMailHost, isUnroutable, resolveHost } from "../../domain/dns/hosts.ts"
import { parkingService } from "../../domain/reference/classify-by-hosts.ts"
import { DEFAULT_ZONES, readRbl } from "../../domain/reference/rbl.ts"
import { mailHostsOf } from "../../domain/smtp-reply/operators.ts"
import type { Exchanger, FactName, FactValues, MailRoute, WebPresence } from "../../domain/verification/evidence.ts"
import { findBimi, findDkim, findDmarc, findMtaSts } from "./find-mail-auth.ts"

interface FinderContext {
  readonly domain: string
  /** Another fact of the domain, stored or fetched now. */
  get<Name extends FactName>(name: Name): Promise<FactValues[Name] | null>
}

/** Finds a fact, null when it cannot be determined now. */
export type Finder<Name extends FactName> = (ctx: Context, context: FinderContext) => Promise<FactValues[Name] | null>

const RBL_DEADLINE_MS = 4_000
const MAX_RBL_ADDRESSES = 8

/** The finder of each fact. Facts that depend on the route wait for it, all others start at once. */
export const FINDERS: { readonly [Name in FactName]: Finder<Name> } = {
  route: ({ dns }, { domain }) => findMailRoute(dns, domain),
  spf: ({ dns }, { domain }) => checkSpf(domain, (name, type) => dns.resolve(name, type)),
  dmarc: ({ dns }, { domain }) => findDmarc(dns, domain),
  bimi: ({ dns }, { domain }) => findBimi(dns, domain),
  dkim: async ({ dns }, { domain, get }) => findDkim(dns, domain, (await get("route"))!),
  mtaSts: async (ctx, { domain, get }) => findMtaSts(ctx, domain, (await get("route"))!),
  exchangers: async ({ dns }, { get }) => findExchangers(dns, (await get("route"))!),

  async registration({ rdap }, { domain, get }) {
    const registrable = getDomain(domain)
    if (registrable === null || (await get("route"))?.kind === "no_such_domain") return { kind: "unknown" }
    const answer = await rdap.registration(registrable)
    return answer.kind === "failure" ? null : answer
  },

  async web(ctx, { domain, get }) {
    const route = (await get("route"))!
    if (route.kind === "no_such_domain") return { site: "none", httpStatus: null, https: false, parkedAt: null }
    return findWebPresence(ctx, domain, route)
  },

  async rbl({ rbl }, { get }) {
    const ips = ipv4AddressesOf((await get("exchangers")) ?? [])
    if (ips.length === 0) return { checked: [], matched: [], notConsulted: [] }
    const answer = await rbl.query({ ips, zones: [...DEFAULT_ZONES], deadlineMs: RBL_DEADLINE_MS })
    return answer && readRbl(answer.zones)
  },
}

function ipv4AddressesOf(exchangers: readonly Exchanger[]): string[] {
  const addresses = exchangers.flatMap((exchanger) => exchanger.addresses ?? [])
  return [...new Set(addresses.filter((address) => !address.includes(":")))].slice(0, MAX_RBL_ADDRESSES)
}

/** Hosts resolved: a sender rarely goes past the third. If the first are dead, no probe node goes past the fifth. */
const MAX_EXCHANGERS = 3
const MAX_AFTER_DEAD = 5
/** Addresses stored of a host: every result of the domain holds them, and DNS may return thousands. */
const MAX_ADDRESSES = 16

/**
 * Finds where a domain's mail goes: MX, else its address record (RFC 5321 §5.1). "." is null MX (RFC 7505). MX records
 * whose hosts can never take mail are no mail host, but stay in the route beside a usable one.
 */
export async function findMailRoute(dns: Dns, domain: string): Promise<MailRoute> {
  const mx = await dns.resolve(domain, "MX")
  if (mx.kind === "failure") return { kind: "dns_failure", reason: mx.reason }
  if (mx.kind === "no_such_domain") return { kind: "no_such_domain" }
  if (mx.kind === "no_data") return findImplicitMx(dns, domain)
  const hosts = mx.records.filter(({ host }) => host !== "" && host !== ".")
  if (hosts.length === 0) return { kind: "null_mx" }
  if (!hosts.some(({ host }) => canBeMailHost(host))) return { kind: "no_mail_host" }
  return { kind: "mx", hosts: hosts.toSorted(byPreference).slice(0, PROBE_LIMITS.mxHosts) }
}

/** Sorts equal preferences by name: DNS order varies, and the same hosts must give the same route. */
function byPreference(a: MxRecord, b: MxRecord): number {
  return a.preference - b.preference || (a.host < b.host ? -1 : 1)
}

async function findImplicitMx(dns: Dns, domain: string): Promise<MailRoute> {
  const answers = await Promise.all([dns.resolve(domain, "A"), dns.resolve(domain, "AAAA")])
  const addresses = answers.flatMap((answer) => (answer.kind === "records" ? answer.records : []))
  if (addresses.some((address) => !isUnroutable(address)))
    return { kind: "implicit_mx", hosts: [{ host: domain, preference: 0 }] }
  const failure = answers.find((answer) => answer.kind === "failure")
  return failure ? { kind: "dns_failure", reason: failure.reason } : { kind: "no_mail_host" }
}

/** Resolves the first mail hosts, with dead hosts and aliases marked. */
export async function findExchangers(dns: Dns, route: MailRoute): Promise<Exchanger[]> {
  const hosts = route.kind === "mx" || route.kind === "implicit_mx" ? route.hosts : []
  const resolveHosts = (from: number, to: number) =>
    Promise.all(hosts.slice(from, to).map(({ host }) => findExchanger(dns, host)))
  const first = await resolveHosts(0, MAX_EXCHANGERS)
  const areDead = first.every(({ addresses }) => addresses?.length === 0)
  return areDead ? [...first, ...(await resolveHosts(MAX_EXCHANGERS, MAX_AFTER_DEAD))] : first
}

async function findExchanger(dns: Dns, host: string): Promise<Exchanger> {
  const { addresses, isAlias } = await resolveHost(dns, host)
  const usable = addresses?.filter((address) => !isUnroutable(address))
  return { host, addresses: usable?.slice(0, MAX_ADDRESSES) ?? null, isAlias }
}

/** Finds the website of a domain, by HTTPS and else by HTTP, and signs of domain parking. Null when unknown. */
async function findWebPresence(
  { dns, web }: { dns: Dns; web: Web },
  domain: string,
  route: MailRoute,
): Promise<WebPresence | null> {
  const [nameServers, addresses] = await Promise.all([dns.resolve(domain, "NS"), addressesOf(dns, domain)])
  if (addresses === null) return null
  const hints = {
    nameServers: nameServers.kind === "records" ? nameServers.records : [],
    mailHosts: mailHostsOf(route),
    addresses,
  }
  const nothing = { site: "none", httpStatus: null, https: false } as const
  if (addresses.length === 0) return { ...nothing, parkedAt: parkingService({ ...hints, siteHost: null }) }
  const secure = await web.get(`https://${domain}/`)
  const answer = secure.kind === "unreachable" ? await web.get(`http://${domain}/`) : secure
  if (answer.kind === "unreachable" || answer.kind === "dns_failure") return null
  if (answer.kind !== "answer") return { ...nothing, parkedAt: parkingService({ ...hints, siteHost: null }) }
  return {
    site: answer.status < 400 ? "live" : "error",
    httpStatus: answer.status,
    https: secure.kind === "answer",
    parkedAt: parkingService({ ...hints, siteHost: answer.url.hostname }),
  }
}

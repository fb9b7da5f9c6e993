import ipaddr from "ipaddr.js"
import type { SenderFinding } from "../../../schema/tables/fleet.ts"
import { reverseName } from "../../../schema/wire/addresses.ts"
import { evaluateSpf, type SpfVerdict } from "../../../schema/wire/spf.ts"
import type { FleetNode } from "../../adapters/fleet/fleet-node.ts"
import type { SenderDomain } from "../../adapters/store/fleet/fleet-records.ts"
import type { Context } from "../../context.ts"
import type { Caller } from "../../domain/accounts/caller.ts"
import { hasMailHost, hasOnlyEmptyMx, type MailRoute } from "../../domain/verification/evidence.ts"
import { AppError } from "../../errors.ts"
import { findMailRoute } from "../verification/find-facts.ts"
import { findDkim } from "../verification/find-mail-auth.ts"
import { ownNodes } from "./visible-nodes.ts"

/**
 * Stores a sender domain with findings on SPF, DKIM, its mail hosts and the PTR records of shared source IPs.
 * @throws AppError bad_request when the domain does not exist, unavailable when DNS gives no answer
 */
export async function registerSenderDomain(ctx: Context, domain: string): Promise<SenderDomain> {
  const now = ctx.clock.now()
  const route = await findMailRoute(ctx.dns, domain)
  if (route.kind === "no_such_domain")
    throw new AppError("bad_request", `domain: ${domain} does not exist: check its spelling, or register it first`)
  if (route.kind === "dns_failure" && !hasOnlyEmptyMx(route))
    throw new AppError("unavailable", `DNS gave no answer for ${domain}, so it is not registered; try again`)
  const ips = [...new Set((await ctx.fleet.all()).filter(({ accountId }) => accountId === null).flatMap(addressesOf))]
  const findings = [
    ...(await Promise.all(ips.map((ip) => checkSpf(ctx, domain, ip)))),
    ...(await Promise.all(ips.map((ip) => checkPtr(ctx, domain, ip)))),
    await checkDkim(ctx, domain, route),
    checkMx(domain, route),
  ]
  return ctx.store.fleetRecords.saveSenderDomain({ domain, registeredAt: now, checkedAt: now, findings })
}

/** A node that uses its system's default address lists none. */
function addressesOf({ sourceIps }: { readonly sourceIps: readonly string[] }): string[] {
  return sourceIps.filter((ip) => ipaddr.isValid(ip))
}

type Advice = readonly [SenderFinding["result"], (domain: string, ip: string) => string]

const ADVICE: Readonly<Record<SpfVerdict["result"], Advice>> = {
  pass: ["ok", () => "SPF allows it"],
  neutral: ["warn", (domain, ip) => `SPF of ${domain} does not mention it: add ${mechanism(ip)}`],
  softfail: ["fail", (domain, ip) => `SPF of ${domain} does not allow it: add ${mechanism(ip)} before ~all`],
  fail: ["fail", (domain, ip) => `SPF of ${domain} forbids it: add ${mechanism(ip)} before -all`],
  none: ["fail", (domain, ip) => `${domain} has no SPF record: publish TXT "v=spf1 ${mechanism(ip)} -all"`],
  permerror: ["fail", (domain) => `SPF of ${domain} is broken: one record, known terms, at most ten lookups`],
  temperror: ["unknown", () => "DNS gave no answer"],
}

function findingOn(check: SenderFinding["check"], subject: string) {
  return (result: SenderFinding["result"], detail: string): SenderFinding => ({ check, result, subject, detail })
}

async function checkSpf({ dns }: Pick<Context, "dns">, domain: string, ip: string): Promise<SenderFinding> {
  const sender = { ip, mailFrom: domain, heloName: domain }
  const spf = await evaluateSpf(domain, sender, (name, type) => dns.resolve(name, type))
  const [result, advice] = ADVICE[spf.result]
  return findingOn("spf", ip)(result, advice(domain, ip))
}

async function checkPtr({ dns }: Pick<Context, "dns">, domain: string, ip: string): Promise<SenderFinding> {
  const found = findingOn("ptr", ip)
  const answer = await dns.resolve(reverseName(ip), "PTR")
  if (answer.kind === "failure") return found("unknown", "DNS gave no answer")
  const name = answer.kind === "records" ? answer.records[0] : undefined
  if (name === undefined) return found("fail", `it has no PTR record: have its provider set one under ${domain}`)
  const forward = await dns.resolve(name, ip.includes(":") ? "AAAA" : "A")
  if (forward.kind === "failure") return found("unknown", `DNS gave no answer for ${name}`)
  const leadsBack = forward.kind === "records" && forward.records.some((address) => String(address) === ip)
  if (!leadsBack)
    return found("fail", `its PTR is ${name}, which does not resolve to it: give ${name} the address ${ip}`)
  if (name === domain || name.endsWith(`.${domain}`)) return found("ok", `its name is ${name}`)
  return found("warn", `its name is ${name}, outside ${domain}: some servers require a match`)
}

/** Bounces go to the sender's domain, so many servers refuse a sender that no mail can reach. */
function checkMx(domain: string, route: MailRoute): SenderFinding {
  const found = findingOn("mx", domain)
  if (hasMailHost(route)) return found("ok", `mail goes to ${route.hosts[0]!.host}`)
  const problem = route.kind === "null_mx" ? "declares that it accepts no mail" : "has no mail host"
  return found("fail", `${domain} ${problem}: publish an MX record, or many servers refuse it`)
}

async function checkDkim({ dns }: Pick<Context, "dns">, domain: string, route: MailRoute): Promise<SenderFinding> {
  const found = findingOn("dkim", domain)
  const dkim = await findDkim(dns, domain, route)
  if (!dkim) return found("unknown", "DNS gave no answer")
  if (dkim.present === null) return found("unknown", "a name exists below _domainkey, but no key at any usual selector")
  if (dkim.present) return found("ok", `keys at ${dkim.selectors.join(", ")}`)
  return found("warn", `no key under _domainkey.${domain}: publish one, as trusted senders do`)
}

function mechanism(ip: string): string {
  return `${ip.includes(":") ? "ip6" : "ip4"}:${ip}`
}

/** Lists registered sender domains: all for the operator, else those that the caller's own nodes use. */
export async function listSenderDomains(ctx: Context, caller: Caller): Promise<readonly SenderDomain[]> {
  const [registered, nodes] = await Promise.all([ctx.store.fleetRecords.senderDomains(), ownNodes(ctx, caller)])
  if (caller.kind === "admin") return registered
  const own = new Set(nodes.map(senderDomainOf))
  return registered.filter(({ domain }) => own.has(domain))
}

/** Returns the domain of a node's envelope sender, from its doctor report. */
export function senderDomainOf({ health }: FleetNode): string | null {
  return health?.report?.doctor?.findings.find(({ check }) => check === "sender")?.subject ?? null
}

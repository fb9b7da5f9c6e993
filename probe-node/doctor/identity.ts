import { reverseName } from "../../schema/wire/addresses.ts"
import type { DoctorFinding } from "../../schema/wire/health.ts"
import { evaluateSpf, type SpfLookup, type SpfVerdict } from "../../schema/wire/spf.ts"
import { addressesOf, type DnsAnswer, type DoctorDns, isSameIp } from "./dns.ts"
import type { OwnAddress } from "./egress.ts"
import { type DoctorDeps, Findings, listed } from "./findings.ts"

/** Checks that the HELO name resolves to every source address. */
export function checkHelo(
  { settings: { heloName } }: DoctorDeps,
  own: readonly OwnAddress[],
  helo: DnsAnswer,
): DoctorFinding[] {
  const findings = new Findings("helo")
  const known = own.filter(({ isAssumed }) => !isAssumed)
  const wanted = known[0]?.ip ?? "this machine's public address"
  if (helo.kind === "failure")
    return findings.add("unknown", heloName, `could not be looked up (${helo.code}): try again when DNS works`).all
  if (helo.kind !== "records")
    return findings.add("fail", heloName, `has no address: create an A record that points to ${wanted}`).all
  const found = listed(helo.records)
  const unknown = "this node's source address is unknown: compare them, or set PROBE_SOURCE_IPS"
  if (known.length === 0) findings.add("unknown", heloName, `points to ${found}, but ${unknown}`)
  const missing = known.filter(({ ip }) => !helo.records.some((record) => isSameIp(record, ip))).map(({ ip }) => ip)
  if (missing.length > 0)
    findings.add(
      "fail",
      heloName,
      `is not this node's name: it points to ${found}, but connections come from ${listed(missing)}. Add that address to its A records, or set PROBE_HELO to a name that resolves to it`,
    )
  else if (known.length > 0) findings.add("ok", heloName, `points to ${found}`)
  return findings.all
}

/** Checks that each address has a reverse name that points back to it and equals the HELO name. */
export async function checkPtr(deps: DoctorDeps, own: readonly OwnAddress[]): Promise<DoctorFinding[]> {
  const findings = new Findings("ptr")
  if (own.length === 0) findings.add("unknown", null, "no address of this node is known: set PROBE_SOURCE_IPS")
  for (const { ip } of own) await assessPtr(deps, findings, ip)
  return findings.all
}

async function assessPtr({ dns, settings: { heloName } }: DoctorDeps, findings: Findings, ip: string): Promise<void> {
  const answer = await dns.ptr(reverseName(ip))
  const order = `ask the provider of ${ip} to set its reverse name (PTR) to ${heloName}`
  if (answer.kind === "failure") findings.add("unknown", ip, `its reverse name could not be looked up (${answer.code})`)
  else if (answer.kind !== "records")
    findings.add("fail", ip, `has no reverse name, so many mail servers refuse it: ${order}`)
  else {
    const confirmed = await confirm(dns, answer.records.slice(0, 10), ip)
    const has = `has the reverse name ${listed(confirmed.length > 0 ? confirmed : answer.records)}`
    const own = order.replace(heloName, "a name of your own")
    if (confirmed.length === 0) findings.add("fail", ip, `${has}, which does not point back to it: ${order}`)
    else if (!confirmed.includes(heloName))
      findings.add("warn", ip, `${has}, not ${heloName}: ${order}, or use that name as PROBE_HELO`)
    else if (isProvidersName(heloName, ip))
      findings.add("warn", ip, `${heloName} looks like a provider's generic name: ${own}`)
    else findings.add("ok", ip, `has the reverse name ${heloName}, which points back to it`)
  }
}

/** The names that point back (FCrDNS, RFC 8601 §2.7.3). */
async function confirm(dns: DoctorDns, names: readonly string[], ip: string): Promise<string[]> {
  const answers = await Promise.all(names.map((name) => addressesOf(dns, name)))
  return names.filter((_, at) => {
    const answer = answers[at]!
    return answer.kind === "records" && answer.records.some((record) => isSameIp(record, ip))
  })
}

/** Whether the name contains the whole address, forwards or backwards, as in "ec2-203-0-113-5.example.net". */
function isProvidersName(name: string, ip: string): boolean {
  const octets = ip.split(".")
  if (octets.length !== 4) return false
  const text = `-${name.replace(/[^0-9]+/g, "-")}-`
  return text.includes(`-${octets.join("-")}-`) || text.includes(`-${octets.toReversed().join("-")}-`)
}

/** Checks that the domain of MAIL FROM accepts mail. Servers refuse senders that cannot receive replies. */
export async function checkSender({ dns, settings }: DoctorDeps): Promise<DoctorFinding[]> {
  const findings = new Findings("sender")
  const domain = domainOf(settings.envelopeSender)
  const mx = await dns.mx(domain)
  const advice = "add an MX record, or set PROBE_MAIL_FROM to a mailbox of a domain that has one"
  if (mx.kind === "records" && mx.records.some(({ exchange }) => exchange !== ""))
    return findings.add("ok", domain, "accepts mail").all
  if (mx.kind === "records")
    return findings.add("fail", domain, `has a null MX, so it accepts no mail (RFC 7505): ${advice}`).all
  if (mx.kind === "failure") return findings.add("unknown", domain, `its MX could not be looked up (${mx.code})`).all
  const addresses = await addressesOf(dns, domain)
  if (addresses.kind === "records") findings.add("warn", domain, `has an address but no MX: ${advice}`)
  else if (addresses.kind === "failure") findings.add("unknown", domain, `could not be looked up (${addresses.code})`)
  else findings.add("fail", domain, `has neither MX nor address: ${advice}`)
  return findings.all
}

/** Checks that SPF allows each of the node's addresses to send for MAIL FROM. */
export async function checkSenderPolicy(deps: DoctorDeps, own: readonly OwnAddress[]): Promise<DoctorFinding[]> {
  const findings = new Findings("spf")
  const { heloName, envelopeSender } = deps.settings
  const domain = domainOf(envelopeSender)
  if (own.length === 0) findings.add("unknown", domain, "no address of this node is known: set PROBE_SOURCE_IPS")
  for (const { ip } of own) {
    const verdict = await evaluateSpf(domain, { ip, mailFrom: envelopeSender, heloName }, lookupOf(deps.dns))
    const [result, detail] = read(verdict, `${ip.includes(":") ? "ip6" : "ip4"}:${ip}`)
    findings.add(result, ip, detail)
  }
  return findings.all
}

function lookupOf(dns: DoctorDns): SpfLookup {
  const lookups = { A: dns.a, AAAA: dns.aaaa, TXT: dns.txt, PTR: dns.ptr }
  return async (name, type) => {
    if (type !== "MX") return lookups[type](name)
    const answer = await dns.mx(name)
    return answer.kind === "records" ? { ...answer, records: answer.records.map((record) => record.exchange) } : answer
  }
}

/** @param term the SPF term that would allow the address */
function read({ result, why }: SpfVerdict, term: string): [result: DoctorFinding["result"], detail: string] {
  switch (result) {
    case "pass":
      return ["ok", `may send: ${why}`]
    case "fail":
      return ["fail", `may not send: ${why}. Add ${term} to the record`]
    case "none":
      return ["warn", `${why}: publish a TXT record such as "v=spf1 ${term} -all"`]
    case "permerror":
      return ["fail", `SPF is broken: ${why}`]
    case "temperror":
      return ["unknown", why]
    default:
      return ["warn", `is not authorized (${result}): ${why}. Add ${term} to the record`]
  }
}

function domainOf(sender: string): string {
  return sender.slice(sender.lastIndexOf("@") + 1).toLowerCase()
}

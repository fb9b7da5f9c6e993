import type { DoctorFinding } from "../../schema/wire/health.ts"
import { evaluateSpf, type SpfLookup, type SpfVerdict } from "../../schema/wire/spf.ts"
import type { DoctorDeps } from "./deps.ts"
import { addressesOf, type DoctorDns } from "./dns.ts"
import { Findings } from "./finding.ts"
import type { OwnAddress } from "./own-addresses.ts"

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

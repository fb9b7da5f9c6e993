import { addressesOf } from "../../adapters/dns/addresses-of.ts"
import type { Dns } from "../../adapters/dns/resolver.ts"
import type { Web } from "../../adapters/web/safe-fetch.ts"
import { mailHostsOf } from "../../domain/mail/operators.ts"
import { parkingService } from "../../domain/mail/parking.ts"
import type { MailRoute, WebPresence } from "../../domain/verdict/evidence.ts"

/** Looks for the web site of a domain, by HTTPS and else by HTTP, and for signs that the domain is only parked. Null: not known. */
export async function findWebPresence(
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

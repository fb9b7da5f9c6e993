import type { ParsedAddress } from "../address/parse.ts"
import type { MalformedAddress } from "../address/problem.ts"
import { parkingService } from "../lists/parking.ts"
import { hasMailHost } from "../verdict/domain-facts.ts"
import type { MailRoute } from "../verdict/evidence.ts"
import { suggestAddress } from "./suggest.ts"

/** Returns the normalized address, or the input of a malformed address. */
function typed(address: ParsedAddress): string {
  return address.ok ? address.normalized : address.input
}

/**
 * Returns the address that was probably meant, or null. A domain that accepts mail is never a typo, unless its mail goes
 * to a parking service. A domain with unknown mail hosts may be a typo.
 */
export function didYouMean(address: ParsedAddress, route: MailRoute | undefined): string | null {
  return hasMailHostToUse(route) ? null : suggestAddress(typed(address), address)
}

/** Returns the problem of a malformed address in a sentence, and the address that was probably meant. */
export function explainProblem(address: MalformedAddress): string {
  const meant = didYouMean(address, undefined)
  return meant === null ? address.message : `${address.message} Did you mean ${meant}?`
}

/** Whether the domain has a mail host other than a parking service. */
export function hasMailHostToUse(route: MailRoute | undefined): boolean {
  if (!route || !hasMailHost(route)) return false
  const mailHosts = route.hosts.map(({ host }) => host)
  return parkingService({ nameServers: [], mailHosts, addresses: [], siteHost: null }) === null
}

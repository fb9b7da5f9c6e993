import type { ParsedAddress } from "../address/parse.ts"
import { parkingService } from "../mail/parking.ts"
import { hasMailHost } from "../verdict/domain-facts.ts"
import type { MailRoute } from "../verdict/evidence.ts"
import { suggestAddress } from "./suggest.ts"

/** What a malformed address was given as, else the address itself. */
function typed(address: ParsedAddress): string {
  return address.ok ? address.normalized : address.input
}

/**
 * The address that was meant, or null. A domain that takes mail is never called a slip, however near a popular one it
 * lies, unless its mail goes to a parking service; one whose mail servers are not known yet may be.
 */
export function didYouMean(address: ParsedAddress, route: MailRoute | undefined): string | null {
  return takesMail(route) ? null : suggestAddress(typed(address), address)
}

/** Whether mail to the domain has somewhere to go where somebody may read it. */
export function takesMail(route: MailRoute | undefined): boolean {
  if (!route || !hasMailHost(route)) return false
  const mailHosts = route.hosts.map(({ host }) => host)
  return parkingService({ nameServers: [], mailHosts, addresses: [], siteHost: null }) === null
}

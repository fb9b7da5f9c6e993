import type { ParsedAddress } from "../address/parse.ts"
import { isBusinessMail } from "../smtp-reply/operators.ts"
import { activeLists, type Lists } from "./active-lists.ts"
import { classifyAddress, type ListClasses, lookupNames } from "./classify.ts"

/**
 * The classes of an address by the lists and by its domain's mail hosts. A list may be old or wrong and DNS is current, so
 * the hosts decide where they are clear:
 *
 * - Hosts that serve only disposable inboxes make an unlisted domain disposable.
 * - Hosts of business mail operators make a listed domain honest. Reviewed names and the operator's overrides stay
 *   disposable, because some disposable services use such hosts.
 *
 * @param hosts mail hosts of the domain; empty when they are unknown: then the lists alone decide
 * @param listed the classes by the lists, when they are known already
 */
export function classifyByHosts(
  address: ParsedAddress,
  hosts: readonly string[],
  listed?: ListClasses,
  lists: Lists = activeLists(),
): ListClasses {
  const classes = listed ?? classifyAddress(address, lists)
  if (classes.isDisposable)
    return isBusinessMail(hosts) ? classifyAddress(address, { ...lists, disposable: lists.reviewed }) : classes
  if (!address.ok || classes.isRelay || classes.isFree || !classifyMxHosts(hosts, lists).isDisposable) return classes
  return { ...classes, isDisposable: true, isCorporate: false }
}

/** Whether any of a domain's mail hosts serves only disposable inboxes, and which. */
export function classifyMxHosts(hosts: readonly string[], lists: Lists = activeLists()) {
  const host = hosts.find((name) => isDisposableHost(name.toLowerCase().replace(/\.$/, ""), lists))
  return { isDisposable: host !== undefined, host: host ?? null }
}

function isDisposableHost(host: string, lists: Lists): boolean {
  const names = lookupNames(host)
  const override = names.map((name) => lists.overrides.get(name)).find((found) => found !== undefined)
  if (override) return override === "disposable"
  return names.some((name) => lists.disposableMx.has(name))
}

/** Name servers that serve only parked names or names on sale. Ordinary name servers of registrars are not listed. */
const PARKING_NAME_SERVERS: readonly (readonly [suffix: string, service: string])[] = [
  ["sedoparking.com", "sedo"],
  ["bodis.com", "bodis"],
  ["parkingcrew.net", "parkingcrew"],
  ["above.com", "above"],
  ["parklogic.com", "parklogic"],
  ["dsredirection.com", "internettraffic"],
  ["voodoo.com", "voodoo"],
  ["fabulous.com", "fabulous"],
  ["smartname.com", "smartname"],
  ["cashparking.com", "cashparking"],
  ["parked.com", "parked"],
  ["afternic.com", "afternic"],
  ["dan.com", "dan"],
  ["undeveloped.com", "dan"],
  ["hugedomains.com", "hugedomains"],
  ["brandbucket.com", "brandbucket"],
  ["squadhelp.com", "squadhelp"],
  ["atom.com", "atom"],
  ["domainnamesales.com", "uniregistry"],
  ["uniregistrymarket.link", "uniregistry"],
  ["ztomy.com", "ztomy"],
  ["trafficz.com", "trafficz"],
  ["rookdns.com", "rook"],
  ["parkingpage.namecheap.com", "namecheap"],
  ["failed-whois-verification.namecheap.com", "namecheap"],
  ["expired.reg.ru", "reg.ru"],
  ["parkpage.foundationapi.com", "foundationapi"],
]

/** MX hosts of parking services. They discard mail, or no person reads it. */
const PARKING_MAIL_HOSTS: readonly (readonly [suffix: string, service: string])[] = [
  ["mx.sedoparking.com", "sedo"],
  ["h-email.net", "h-email"],
  ["hope-mail.com", "hope-mail"],
  ["mail.bodis.com", "bodis"],
  ["mx.parkingcrew.net", "parkingcrew"],
  ["park-mx.above.com", "above"],
  ["nullmx.domainmanager.com", "domainmanager"],
]

/** IP addresses that parking services use for parked names only. */
const PARKING_ADDRESSES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    sedo: "91.195.240.94 91.195.240.12 91.195.240.13 64.190.63.222",
    bodis: "199.59.243.228 199.59.243.227 199.59.243.226 199.59.243.225",
    parkingcrew:
      "185.53.177.50 185.53.177.51 185.53.177.52 185.53.177.53 185.53.177.54 " +
      "185.53.178.50 185.53.178.51 185.53.178.52 185.53.178.53 185.53.178.54",
    above: "103.224.182.253 103.224.212.222",
  }).flatMap(([service, addresses]) => addresses.split(" ").map((address) => [address, service])),
)

/** Hosts to which parked names redirect a browser. */
const PARKING_SITES: readonly (readonly [suffix: string, service: string])[] = [
  ["sedo.com", "sedo"],
  ["sedoparking.com", "sedo"],
  ["hugedomains.com", "hugedomains"],
  ["dan.com", "dan"],
  ["afternic.com", "afternic"],
  ["parkingcrew.net", "parkingcrew"],
  ["forsale.godaddy.com", "godaddy"],
  ["forsale.dynadot.com", "dynadot"],
  ["buydomains.com", "buydomains"],
  ["atom.com", "atom"],
]

interface ParkingHints {
  readonly nameServers: readonly string[]
  readonly mailHosts: readonly string[]
  readonly addresses: readonly string[]
  /** Host at which the web site's redirects ended. */
  readonly siteHost: string | null
}

/** Returns the parking service of a domain by its name servers, mail hosts, addresses or redirects. Null for none. */
export function parkingService({ nameServers, mailHosts, addresses, siteHost }: ParkingHints): string | null {
  const byAddress = addresses.map((address) => PARKING_ADDRESSES.get(address)).find((service) => service !== undefined)
  return (
    firstMatch(PARKING_NAME_SERVERS, nameServers) ??
    firstMatch(PARKING_MAIL_HOSTS, mailHosts) ??
    byAddress ??
    firstMatch(PARKING_SITES, siteHost ? [siteHost] : [])
  )
}

function firstMatch(table: readonly (readonly [string, string])[], hosts: readonly string[]): string | null {
  const isBelow = (suffix: string) => hosts.some((host) => host === suffix || host.endsWith(`.${suffix}`))
  return table.find(([suffix]) => isBelow(suffix))?.[1] ?? null
}

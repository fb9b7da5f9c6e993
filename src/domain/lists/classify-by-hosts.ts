import type { ParsedAddress } from "../address/parse.ts"
import { isBusinessMail } from "../smtp-reply/operators.ts"
import { activeLists } from "./active-lists.ts"
import type { Lists } from "./built-in.ts"
import { classifyAddress, type ListClasses } from "./classify.ts"
import { lookupNames } from "./domain-names.ts"

/**
 * Returns the classes of an address by the lists and by its domain's mail hosts. DNS is current and a list may be old
 * or wrong, so the hosts decide where they are clear:
 *
 * - Hosts that serve only disposable inboxes make an unlisted domain disposable.
 * - Hosts of business mail operators (Google Workspace, Microsoft 365, Mimecast) make a listed domain honest. Reviewed
 *   names and the operator's overrides stay disposable, because some disposable services use such hosts. The packed
 *   list has no such mark for each name: a second filter of its 9,000 reviewed names takes 20 KB, and a review says
 *   what a domain was then, not that no company has registered it since.
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

export interface MxClass {
  readonly isDisposable: boolean
  /** The disposable host. */
  readonly host: string | null
}

/** Whether any of a domain's mail hosts serves only disposable inboxes. */
export function classifyMxHosts(hosts: readonly string[], lists: Lists = activeLists()): MxClass {
  const host = hosts.find((name) => isDisposableHost(name.toLowerCase().replace(/\.$/, ""), lists))
  return { isDisposable: host !== undefined, host: host ?? null }
}

function isDisposableHost(host: string, lists: Lists): boolean {
  const names = lookupNames(host)
  const override = names.map((name) => lists.overrides.get(name)).find((found) => found !== undefined)
  if (override) return override === "disposable"
  return names.some((name) => lists.disposableMx.has(name))
}

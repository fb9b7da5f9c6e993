import { isPublicAddress } from "../../../schema/wire/addresses.ts"
import { addressesOf } from "../../adapters/dns/addresses-of.ts"
import type { Deps } from "../../deps.ts"
import { isExempt, readTargetUrl } from "../../domain/webhooks/target-url.ts"

/**
 * What is wrong with the URL a node wants to be called under; null when nothing is. The name is looked up each time,
 * because names change: the edge must not become somebody's way into a network of ours.
 */
export async function checkNodeUrl(
  { dns, fleetRules }: Pick<Deps, "dns" | "fleetRules">,
  text: string,
): Promise<string | null> {
  const target = readTargetUrl(text, fleetRules)
  if (!target.ok) return target.problem
  const url = new URL(target.url)
  if (url.pathname !== "/" || url.search !== "") return "must be an origin, without a path"
  if (isExempt(url, fleetRules)) return null
  const addresses = await addressesOf(dns, url.hostname)
  if (!addresses?.length) return "names a host without an address"
  return addresses.every(isPublicAddress) ? null : "names a host of a private network"
}

import { isPublicAddress } from "../../../schema/wire/addresses.ts"
import type { Context } from "../../context.ts"
import { addressesOf } from "../../domain/dns/hosts.ts"
import { isExempt, readTargetUrl } from "../../domain/webhooks/target-url.ts"

/**
 * Returns the problem of a node's URL, null when there is none. The name is resolved each time, because names change
 * and the edge must not connect to an internal network.
 */
export async function checkNodeUrl(ctx: Context, text: string): Promise<string | null> {
  const target = readTargetUrl(text, ctx.config.fleetRules)
  if (!target.ok) return target.problem
  const url = new URL(target.url)
  if (url.pathname !== "/" || url.search !== "") return "must be an origin, without a path"
  if (isExempt(url, ctx.config.fleetRules)) return null
  const addresses = await addressesOf(ctx.dns, url.hostname)
  if (!addresses?.length) return "names a host without an address"
  return addresses.every(isPublicAddress) ? null : "names a host of a private network"
}

import { isExempt } from "../../domain/webhooks/target-url.ts"
import type { Config } from "../../env.ts"
import type { Fetch, OutboundFetch } from "../outbound.ts"

/**
 * Picks the fetch function for a node. Nodes that the operator configured may be at any address.
 * Enrolled nodes must be at public addresses, checked when the connection is made.
 */
export function nodeFetch(
  { probeNodes, fleetRules }: Pick<Config, "probeNodes" | "fleetRules">,
  { fetch, fetchPublic }: OutboundFetch,
): Fetch {
  const named = new Set(probeNodes.map(({ url }) => new URL(url).origin))
  return (text, init) => {
    const url = new URL(text)
    return named.has(url.origin) || isExempt(url, fleetRules) ? fetch(text, init) : fetchPublic(text, init)
  }
}

import { isExempt } from "../../domain/webhooks/target-url.ts"
import type { Config } from "../../env.ts"
import type { Fetch, Ways } from "../outbound.ts"

/**
 * How a node is called: those the operator named stand wherever the operator likes, those that enrolled at public addresses,
 * whatever their names lead to by the time of the connection.
 */
export function wayToNode(
  { probeNodes, fleetRules }: Pick<Config, "probeNodes" | "fleetRules">,
  { fetch, fetchPublic }: Ways,
): Fetch {
  const named = new Set(probeNodes.map(({ url }) => new URL(url).origin))
  return (text, init) => {
    const url = new URL(text)
    return named.has(url.origin) || isExempt(url, fleetRules) ? fetch(text, init) : fetchPublic(text, init)
  }
}

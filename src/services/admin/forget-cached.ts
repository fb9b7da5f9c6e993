import type { Deps } from "../../deps.ts"
import { forgetResults } from "../compliance/forget-at-edge.ts"

export type ForgetNeeds = Pick<Deps, "operator" | "cache" | "digests">

/** A platform's request may make only so many calls; what is beyond lapses by itself. */
const MOST_RESULTS = 500

/** Takes results of these domains out of the edge's cache, so that the next answers are classified by the new lists. */
export async function forgetCached(needs: ForgetNeeds, domains: readonly string[]): Promise<void> {
  if (domains.length > 0) await forgetResults(needs, await needs.operator.addressesOf(domains, MOST_RESULTS))
}

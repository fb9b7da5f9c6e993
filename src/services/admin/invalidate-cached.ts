import type { Context } from "../../context.ts"
import { forgetResults } from "../compliance/forget-at-edge.ts"

/** The platform limits the calls of one request. Results beyond this limit expire by themselves. */
const MOST_RESULTS = 500

/** Removes the results of these domains from the edge cache, so that the new lists classify the next answers. */
export async function invalidateCached(ctx: Context, domains: readonly string[]): Promise<void> {
  if (domains.length > 0) await forgetResults(ctx, await ctx.store.operator.addressesOf(domains, MOST_RESULTS))
}

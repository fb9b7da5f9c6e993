import type { UsageMeter } from "../../adapters/accounts/usage-meter.ts"
import type { Context } from "../../context.ts"
import { chargeCredits } from "../accounts/charge.ts"
import { type ScrapeResult, scrapeSite } from "./scrape-site.ts"

/** Reads a company's site and charges a credit only when the site was fetched now. */
export function scrapeDomain(ctx: Context, meter: UsageMeter, domain: string): Promise<ScrapeResult> {
  const costOf = ({ fromCache, outcome }: ScrapeResult) => (!fromCache && outcome === "read" ? 1 : 0)
  return chargeCredits(meter, { most: 1, costOf }, () => scrapeSite(ctx, domain))
}

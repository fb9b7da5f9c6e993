import type { Deps } from "../../deps.ts"
import { charge } from "../accounts/charge.ts"
import { type ScrapeNeeds, type ScrapeResult, scrapeSite } from "./scrape-site.ts"

/** Reads a company's site for a caller, who pays a credit when it really was read now. */
export function scrapeDomain(needs: ScrapeNeeds & Pick<Deps, "meter">, domain: string): Promise<ScrapeResult> {
  const costOf = ({ fromCache, outcome }: ScrapeResult) => (!fromCache && outcome === "read" ? 1 : 0)
  return charge(needs, { most: 1, costOf }, () => scrapeSite(needs, domain))
}

import type { Deps } from "../../deps.ts"
import { type ScrapeNeeds, type ScrapeResult, scrapeSite } from "./scrape-site.ts"

/** Reads a company's site for a caller, who pays a credit when it really was read now. */
export async function scrapeDomain(needs: ScrapeNeeds & Pick<Deps, "meter">, domain: string): Promise<ScrapeResult> {
  const charge = await needs.meter.reserve(1)
  let credits = 0
  try {
    const scraped = await scrapeSite(needs, domain)
    if (!scraped.fromCache && scraped.outcome === "read") credits = 1
    return scraped
  } finally {
    await charge.settle(credits)
  }
}

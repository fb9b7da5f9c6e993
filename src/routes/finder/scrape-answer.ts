import { z } from "@hono/zod-openapi"
import { iso } from "../../domain/time.ts"
import type { ScrapeResult } from "../../services/finder/scrape-site.ts"

/** The addresses on a company's own pages. */
export const ScrapeAnswer = z
  .object({
    domain: z.string().openapi({ example: "company.test" }),
    outcome: z.enum(["read", "disallowed", "no_site", "unreachable", "blocked"]).openapi({
      description:
        "disallowed: the site's robots.txt forbids it. blocked: the site leads to a non-public IP address or to another company",
    }),
    pages_read: z.int().openapi({ description: "At most 10", example: 4 }),
    emails: z.array(
      z.object({
        email: z.string(),
        writing: z.enum(["plain", "mailto", "obfuscated", "cloudflare"]),
        name: z.string().nullable().openapi({ description: "The owner's name where the page states it" }),
      }),
    ),
    from_cache: z.boolean().openapi({ description: "A site is fetched at most once a week" }),
    scraped_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
  })
  .openapi("ScrapedSite")

export function presentScrape(domain: string, scrape: ScrapeResult): z.infer<typeof ScrapeAnswer> {
  return {
    domain,
    outcome: scrape.outcome,
    pages_read: scrape.pages,
    emails: scrape.emails.map(({ email, writing, label }) => ({ email, writing, name: label === "" ? null : label })),
    from_cache: scrape.fromCache,
    scraped_at: iso(scrape.fetchedAt),
    expires_at: iso(scrape.expiresAt),
  }
}

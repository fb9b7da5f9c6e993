import { z } from "@hono/zod-openapi"
import type { AssessedCandidate } from "../../domain/finder/candidates.ts"
import { NO_FORMATS_REASONS } from "../../domain/finder/domain-formats.ts"
import { iso } from "../../domain/time.ts"
import { arrayOf, component, round, share } from "../../http/fields.ts"
import { PATTERNS } from "../../http/input-fields.ts"
import type { KnownFormats } from "../../services/finder/formats.ts"
import type { ScrapeResult } from "../../services/finder/scrape-site.ts"

/** The given names or the family names of a person, in any script. */
export function personName(description: string, example: string) {
  return z
    .string()
    .trim()
    .max(100)
    .refine((text) => /\p{L}/u.test(text), "must have at least one letter")
    .openapi({ pattern: PATTERNS.personName, description, example })
}

/** A company's domain, also as a URL or an address. */
export function companyDomain() {
  return z.string().trim().min(1, "must not be empty").max(2_048).openapi({
    pattern: PATTERNS.companyDomain,
    description: "A domain, or a URL, an address or a www. host of it",
    example: "mailbox.test",
  })
}

export const FormatSource = z.enum(["learned", "prior"]).openapi({
  description: "learned: addresses of the domain show it. prior: no address is known, it is common among companies",
})

/** Returns where a domain's formats come from, null when it has none. */
export function sourceOf({ formats, sampleCount }: KnownFormats): z.infer<typeof FormatSource> | null {
  if (formats.length === 0) return null
  return sampleCount > 0 ? "learned" : "prior"
}

export const NoFormats = z.enum(NO_FORMATS_REASONS).nullable().openapi({
  description:
    "Why the domain has no formats, else null. free_provider, disposable, relay: its mailboxes do not belong to one company. no_such_domain, null_mx, no_mail_host: it accepts no mail",
})

/** What the confidence of a candidate depends on. */
export const Basis = component(
  "FinderBasis",
  "The confidence weighs these facts by Bayes' rule over possible company sizes",
  {
    format_share: share.openapi({ description: "Expected share of the domain's addresses in this format" }),
    name_commonness: z.number().openapi({
      description: "Share of people whose names give the same address in this format, an order of magnitude",
      example: 0.002,
    }),
    company_size: z.int().openapi({
      description:
        "People who have or had an address at the domain: the median of an estimate by known addresses and mail operator",
      example: 400,
    }),
    expected_namesakes: z.number().openapi({
      description: "(company_size - 1) × name_commonness: colleagues whose names give the same address",
      example: 0.798,
    }),
    exists: z.boolean().nullable().openapi({
      description:
        "Whether the mail server has this mailbox; null when unknown, as at a domain that accepts every address",
    }),
    has_gravatar: z.boolean().nullable().openapi({
      description: "Checked where no mailbox is confirmed, for the most likely addresses; else null",
    }),
  },
)

export function presentBasis({ basis }: AssessedCandidate): z.infer<typeof Basis> {
  return {
    format_share: round(basis.formatShare),
    name_commonness: Number(basis.nameCommonness.toPrecision(2)),
    company_size: basis.companySize,
    expected_namesakes: Number(basis.expectedNamesakes.toPrecision(3)),
    exists: basis.exists,
    has_gravatar: basis.hasGravatar,
  }
}

/** The addresses on a company's own pages. */
export const ScrapeAnswer = component("ScrapedSite", {
  domain: z.string().openapi({ description: "The domain of the site, in ASCII (IDNA)", example: "company.test" }),
  outcome: z.enum(["read", "disallowed", "no_site", "unreachable", "blocked"]).openapi({
    description:
      "disallowed: the site's robots.txt forbids it. blocked: the site leads to a non-public IP address or to another company",
  }),
  pages_read: z.int().openapi({ description: "At most 10", example: 4 }),
  emails: arrayOf({
    email: z.string().openapi({ description: "The address" }),
    writing: z
      .enum(["plain", "mailto", "obfuscated", "cloudflare"])
      .openapi({ description: "How the page writes it. `cloudflare`: encoded by Cloudflare" }),
    name: z.string().nullable().openapi({ description: "The owner's name where the page states it" }),
  }).openapi({ description: "The addresses on these pages" }),
  from_cache: z.boolean().openapi({ description: "A site is fetched at most once a week" }),
  scraped_at: z.iso.datetime().openapi({ description: "Time at which the pages were read" }),
  expires_at: z.iso.datetime().openapi({ description: "Time from which they are read again" }),
})

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

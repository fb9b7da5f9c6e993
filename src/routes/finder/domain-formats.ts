import { z } from "@hono/zod-openapi"
import { accountOf } from "../../domain/accounts/caller.ts"
import { COMPANY_SIZES } from "../../domain/finder/possible-companies.ts"
import { iso } from "../../domain/time.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { arrayOf, component, round, share, wholeNumberOr } from "../../http/fields.ts"
import { noCharge } from "../../services/accounts/charge.ts"
import { requireDomain } from "../../services/finder/caller-input.ts"
import { type KnownFormats, readFormats } from "../../services/finder/formats.ts"
import { scrapeDomain } from "../../services/finder/scrape-site.ts"
import { companyDomain, FormatSource, NoFormats, presentScrape, ScrapeAnswer, sourceOf } from "./fields.ts"

const endpoint = endpointsOf("finder")

const list = endpoint("key-optional", "GET /domain-formats", {
  operationId: "listDomainFormats",
  summary: "List known formats",
  description: "Returns domains with learned address formats, those with the most addresses first. Costs no credit.",
  query: z.object({
    limit: wholeNumberOr(100, { min: 1, max: 500, description: "Maximum number of domains" }),
    offset: wholeNumberOr(0, { min: 0, max: 1_000_000, description: "Domains to skip" }),
  }),
  answer: component("DomainFormatList", {
    total: z.int().openapi({ description: "Domains with learned formats" }),
    limit: z.int().openapi({ description: "Maximum number of domains, as given" }),
    offset: z.int().openapi({ description: "Domains skipped, as given" }),
    domains: arrayOf({
      domain: z.string().openapi({ description: "The domain, in ASCII (IDNA)" }),
      format: z.string().openapi({ description: "Its most likely format", example: "{first}.{last}" }),
      confidence: share.openapi({ description: "Expected share of its addresses in this format, 0 to 1" }),
      sample_count: z.int().openapi({ description: "Addresses of the domain that show its formats" }),
      updated_at: z.iso.datetime().openapi({ description: "Time of the last change" }),
    }).openapi({ description: "A page of domains, those with the most addresses first" }),
  }),
  async handle(c) {
    const page = c.req.valid("query")
    await c.var.meter.authorize()
    const { total, formats } = await c.var.ctx.store.formats.list(page)
    const domains = formats.map(({ domain, format, confidence, sampleCount, updatedAt }) => ({
      domain,
      format,
      confidence: round(confidence),
      sample_count: sampleCount,
      updated_at: iso(updatedAt),
    }))
    return { total, ...page, domains }
  },
})

const DomainFormatsAnswer = component("DomainFormats", "The address formats of a domain", {
  domain: z.string().openapi({ description: "The domain, in ASCII (IDNA)", example: "company.test" }),
  format: z.string().nullable().openapi({
    description: "The most likely format; null when the domain has none",
    example: "{first}.{last}",
  }),
  confidence: share.openapi({
    description: "Expected share of the domain's addresses. Includes what is common among similar companies",
  }),
  source: FormatSource.nullable(),
  reason: NoFormats,
  is_learned: z.boolean().openapi({ description: "False when it comes from similar companies only" }),
  sample_count: z.int().openapi({ description: "Addresses learned from; they are not stored" }),
  company_size: z.enum(COMPANY_SIZES).nullable().openapi({
    description: "An estimate by known addresses and mail operator: up to 50 people, up to 1,000, or more",
  }),
  country: z.string().nullable().openapi({ description: "By the top-level domain", example: "de" }),
  sources: z
    .record(z.string(), z.int())
    .openapi({ description: "Addresses learned from, by where they came from", example: { verified: 5, scraped: 2 } }),
  last_learned_at: z.iso
    .datetime()
    .nullable()
    .openapi({ description: "Time at which the newest address was learned; null without one" }),
  formats: arrayOf({
    format: z.string().openapi({ description: "The format, such as `{first}.{last}`" }),
    confidence: share.openapi({ description: "Expected share of the domain's addresses in this format, 0 to 1" }),
    source: FormatSource,
    samples: z.int().openapi({ description: "Observed addresses in this format; 0 for a prior" }),
    share: share.openapi({
      description: "Share of the observed addresses. An address with several possible formats counts in parts",
    }),
    low: share.openapi({ description: "Lower end of the share's 95 % interval (Wilson)" }),
    high: share.openapi({ description: "Upper end of the share's 95 % interval (Wilson)" }),
    sample_weight: z.number().openapi({ description: "Number of addresses; older ones count less" }),
  }).openapi({ description: "The observed formats, and priors: the most common others. Empty when reason is set" }),
})

function presentFormats(domain: string, known: KnownFormats): z.infer<typeof DomainFormatsAnswer> {
  const top = known.formats[0]
  const shown = known.formats.filter(({ weight }, at) => weight >= 0.01 || at < 10)
  const newest = known.samples[0]?.learnedAt
  const sources: Record<string, number> = {}
  for (const { source } of known.samples) sources[source] = (sources[source] ?? 0) + 1
  return {
    domain,
    format: top?.format ?? null,
    confidence: round(top?.confidence ?? 0),
    source: sourceOf(known),
    reason: known.reason,
    is_learned: known.sampleCount > 0,
    sample_count: known.sampleCount,
    company_size: known.size?.size ?? null,
    country: known.country,
    sources,
    last_learned_at: iso(newest),
    formats: shown.map(({ format, confidence, weight, interval, samples }) => ({
      format,
      confidence: round(confidence),
      source: samples > 0 ? "learned" : "prior",
      samples,
      share: round(known.sampleWeight > 0 ? Math.min(1, weight / known.sampleWeight) : 0),
      low: round(interval.low),
      high: round(interval.high),
      sample_weight: round(weight),
    })),
  }
}

const ofDomain = endpoint("key-optional", "GET /domain-formats/{domain}", {
  operationId: "domainFormats",
  summary: "Get a domain's formats",
  description:
    "Returns how a company builds its addresses, each format with its confidence. Costs no credit. Without learned addresses, the formats are those of similar companies.",
  params: z.object({ domain: companyDomain() }),
  answer: DomainFormatsAnswer,
  problems: [400],
  async handle(c) {
    const domain = requireDomain(c.req.valid("param").domain)
    const known = await noCharge(c.var.meter, () => readFormats(c.var.ctx, { domain }))
    return presentFormats(domain, known)
  },
})

const LearnedSite = ScrapeAnswer.extend({ formats: DomainFormatsAnswer }).openapi("LearnedSite")

const scrape = endpoint("key-optional", "POST /domain-formats/scrape", {
  operationId: "scrapeDomainFormats",
  summary: "Learn a domain's formats",
  description:
    "Reads the company's public pages and learns from the addresses there. Costs one credit if the pages were fetched, and nothing from the cache.",
  json: z.object({ domain: companyDomain() }),
  answer: LearnedSite,
  problems: [400],
  costs: true,
  async handle(c) {
    const domain = requireDomain(c.req.valid("json").domain)
    const scraped = await scrapeDomain(c.var.ctx, c.var.meter, { domain, accountId: accountOf(c.var.caller) })
    const formats = presentFormats(domain, await readFormats(c.var.ctx, { domain }))
    return { ...presentScrape(domain, scraped), formats }
  },
})

export const domainFormatEndpoints: Endpoint[] = [list, ofDomain, scrape]

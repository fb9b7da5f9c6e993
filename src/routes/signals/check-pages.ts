import { z } from "@hono/zod-openapi"
import { accountOf } from "../../domain/accounts/caller.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { mineEmails } from "../../domain/finder/mine-emails.ts"
import { classifyAddress } from "../../domain/reference/classify.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { arrayOf, component, orElse } from "../../http/fields.ts"
import { PATTERNS } from "../../http/input-fields.ts"
import { requireDomain } from "../../services/finder/caller-input.ts"
import { scrapeDomain } from "../../services/finder/scrape-site.ts"
import { companyDomain, presentScrape, ScrapeAnswer } from "../finder/fields.ts"

const endpoint = endpointsOf("signals")

const scrape = endpoint("key-optional", "GET /check/scrape-domain", {
  operationId: "checkScrapeDomain",
  summary: "Read a company's pages",
  description:
    "Returns the addresses on a company's public pages. Costs one credit if the pages were fetched, and nothing from the cache.",
  query: z.object({ domain: companyDomain() }),
  answer: ScrapeAnswer,
  problems: [400],
  async handle(c) {
    const domain = requireDomain(c.req.valid("query").domain)
    return presentScrape(
      domain,
      await scrapeDomain(c.var.ctx, c.var.meter, { domain, accountId: accountOf(c.var.caller) }),
    )
  },
})

const MinedEmails = component("MinedEmails", {
  total: z.int(),
  emails: arrayOf({
    email: z.string(),
    writing: z.enum(["plain", "mailto", "obfuscated", "cloudflare"]),
    name: z.string().nullable(),
    is_role_account: z.boolean(),
    is_disposable: z.boolean(),
    is_free_provider: z.boolean(),
  }),
})

const mine = endpoint("key-optional", "POST /check/mine-emails", {
  operationId: "checkMineEmails",
  summary: "Extract addresses from text",
  description:
    "Returns the addresses in a text or HTML page, obfuscated ones included, at most 1,000. Costs no credit and stores nothing.",
  json: z.object({
    text: z
      .string()
      .min(1, "must not be empty")
      .max(900_000)
      .openapi({ description: "Text or HTML of a page", example: "alice (at) example dot com" }),
    domain: orElse(z.string().trim().max(2_048), "").openapi({
      pattern: PATTERNS.optionalCompanyDomain,
      description: "The site the text is from",
    }),
  }),
  answer: MinedEmails,
  problems: [400],
  async handle(c) {
    await c.var.meter.authorize()
    const { text, domain } = c.req.valid("json")
    const mined = mineEmails(text, domain === "" ? undefined : requireDomain(domain))
    return {
      total: mined.length,
      emails: mined.map(({ email, writing, label }) => {
        const { isRole, isDisposable, isFree } = classifyAddress(parseAddress(email))
        const classes = { is_role_account: isRole, is_disposable: isDisposable, is_free_provider: isFree }
        return { email, writing, name: label === "" ? null : label, ...classes }
      }),
    } satisfies z.infer<typeof MinedEmails>
  },
})

export const checkPagesEndpoints: Endpoint[] = [scrape, mine]

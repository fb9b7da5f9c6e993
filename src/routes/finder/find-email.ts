import { z } from "@hono/zod-openapi"
import { SMTP_STATUSES } from "../../../schema/vocabulary.ts"
import { accountOf } from "../../domain/accounts/caller.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { arrayOf, component, flag, round, share } from "../../http/fields.ts"
import { PATTERNS } from "../../http/input-fields.ts"
import { type FoundEmail, findEmail } from "../../services/finder/find-email.ts"
import { domainFormatEndpoints } from "./domain-formats.ts"
import { Basis, companyDomain, FormatSource, NoFormats, personName, presentBasis, sourceOf } from "./fields.ts"

const endpoint = endpointsOf("finder")

export const FoundEmailAnswer = component("FoundEmail", {
  best_email: z.string().nullable().openapi({
    description: "The candidate with the highest confidence; null when the domain has none",
    example: "alice.smith@mailbox.test",
  }),
  best_confidence: share.openapi({
    description: "Probability that the best address is this person's own, 0 to 1; 0 without a best address",
    example: 0.93,
  }),
  domain: z.string().openapi({ description: "The domain that was searched, in ASCII (IDNA)", example: "mailbox.test" }),
  domain_format: z.string().nullable().openapi({
    description: "The domain's most likely format; null when the domain accepts no mail",
    example: "{first}.{last}",
  }),
  domain_format_confidence: share.openapi({
    description: "Expected share of the domain's addresses in this format",
    example: 0.81,
  }),
  domain_format_source: FormatSource.nullable(),
  samples: z.int().openapi({ description: "Addresses of the domain that show its formats", example: 3 }),
  outcome: z.enum(["verified", "likely", "guess", "not_found", "no_mail"]).openapi({
    description:
      "verified: the mail server accepts it and rejects a random address, and best_confidence is at least 0.5. likely: it cannot be confirmed, but other addresses of the domain have its format. guess: neither; a mailbox that exists may be another person's. not_found: the server rejects every candidate. no_mail: the domain accepts no mail",
  }),
  reason: NoFormats,
  is_catch_all: z.boolean().nullable().openapi({
    description: "The domain accepts every address, so no candidate can be verified; null when unknown",
  }),
  candidates: arrayOf({
    email: z.string().openapi({ description: "The address" }),
    confidence: share.openapi({ description: "Probability that it is this person's own address" }),
    format_type: z.string().openapi({ description: "The format that gives the address", example: "{first}.{last}" }),
    verified: z.boolean().openapi({ description: "The mailbox exists; the confidence says whose it is" }),
    smtp_status: z
      .enum(SMTP_STATUSES)
      .openapi({ description: "How the probe of the address ended; `skipped`: it was not probed" }),
    basis: Basis,
  }).openapi({ description: "Possible addresses of the person, the most likely first" }),
  find_time_ms: z.int().openapi({ description: "Milliseconds that the search took" }),
  credits_used: z.int().openapi({ description: "5 for an outcome of verified or likely, else 0", example: 5 }),
})

function presentFound({
  domain,
  outcome,
  candidates,
  formats,
  ...found
}: FoundEmail): z.infer<typeof FoundEmailAnswer> {
  const best = outcome === "not_found" ? undefined : candidates[0]
  const top = formats.formats[0]
  return {
    best_email: best?.email ?? null,
    best_confidence: round(best?.confidence ?? 0),
    domain,
    domain_format: top?.format ?? null,
    domain_format_confidence: round(top?.confidence ?? 0),
    domain_format_source: sourceOf(formats),
    samples: formats.sampleCount,
    outcome,
    reason: formats.reason,
    is_catch_all: found.isCatchAll,
    candidates: candidates.map((candidate) => ({
      email: candidate.email,
      confidence: round(candidate.confidence),
      format_type: candidate.format,
      verified: candidate.isVerified,
      smtp_status: candidate.smtpStatus,
      basis: presentBasis(candidate),
    })),
    find_time_ms: Math.round(found.elapsedMs),
    credits_used: found.credits,
  }
}

const first = personName("Given names, in any script", "Alice")
const last = personName("Family names, in any script", "Smith")

const findByBody = endpoint("key-optional", "POST /find-email", {
  operationId: "findEmail",
  summary: "Find a person's address",
  description:
    "Returns the likely addresses of a person at a company, the most likely first. Costs 5 credits when `outcome` is `verified` or `likely`, else nothing. `confidence` says whether the mailbox is this person's own. 400 for a mailbox provider such as gmail.com.",
  json: z.object({ first_name: first, last_name: last, domain: companyDomain() }),
  answer: FoundEmailAnswer,
  problems: [400],
  costs: true,
  async handle(c) {
    const { first_name, last_name, domain } = c.req.valid("json")
    const person = { firstName: first_name, lastName: last_name, domain, companyName: "" } as const
    const request = { ...person, smtp: true, scrape: false, accountId: accountOf(c.var.caller) }
    return presentFound(await findEmail(c.var.ctx, c.var.meter, request))
  },
})

const findByQuery = endpoint("key-optional", "POST /find-email/v2", {
  operationId: "findEmailV2",
  summary: "Find a person's address, with options",
  description:
    "Does the same as `POST /find-email`, with the same cost. It also finds the domain of a company by name and may read the company's pages first.",
  query: z
    .object({
      first_name: first,
      last_name: last,
      domain: z.string().trim().max(2_048).openapi({
        pattern: PATTERNS.optionalCompanyDomain,
        description: "A domain, a URL or a www. host. Empty: found by company_name",
        example: "mailbox.test",
      }),
      company_name: z
        .string()
        .trim()
        .max(200)
        .default("")
        .openapi({ description: "Name of the company, when its domain is not known", example: "Mailbox Ltd" }),
      do_smtp: flag(true, "Probe the mail server for the candidates"),
      do_scrape: flag(false, "Fetch the company's own pages first to learn its format"),
    })
    .refine(({ domain, company_name }) => domain !== "" || company_name !== "", {
      path: ["domain"],
      message: "must not be empty without a company_name",
    }),
  answer: FoundEmailAnswer,
  problems: [400],
  costs: true,
  async handle(c) {
    const { first_name, last_name, domain, company_name, do_smtp, do_scrape } = c.req.valid("query")
    const name = { firstName: first_name, lastName: last_name }
    const person = { ...name, domain, companyName: company_name }
    const request = { ...person, smtp: do_smtp, scrape: do_scrape, accountId: accountOf(c.var.caller) }
    return presentFound(await findEmail(c.var.ctx, c.var.meter, request))
  },
})

export const findEmailEndpoints: Endpoint[] = [findByBody, findByQuery]

export const FINDER_ENDPOINTS: readonly Endpoint[] = [...findEmailEndpoints, ...domainFormatEndpoints]

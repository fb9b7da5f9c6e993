import { z } from "@hono/zod-openapi"
import { accountOf } from "../../domain/accounts/caller.ts"
import { readProfileSlug } from "../../domain/finder/person-name.ts"
import { realismOf } from "../../domain/finder/realism.ts"
import { AppError } from "../../errors.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { arrayOf, component, round, share } from "../../http/fields.ts"
import { noCharge } from "../../services/accounts/charge.ts"
import { requireDomain, requireName } from "../../services/finder/caller-input.ts"
import { findCandidates } from "../../services/finder/find-candidates.ts"
import { Basis, companyDomain, FormatSource, NoFormats, personName, presentBasis, sourceOf } from "../finder/fields.ts"

const endpoint = endpointsOf("signals")

const FormatProbability = component("FormatProbability", {
  domain: z.string(),
  source: FormatSource.nullable(),
  reason: NoFormats,
  is_learned: z.boolean(),
  sample_count: z.int(),
  candidates: arrayOf({
    email: z.string().openapi({ example: "alice.smith@mailbox.test" }),
    format_type: z.string().openapi({ example: "{first}.{last}" }),
    probability: share.openapi({
      description: "Probability that it is this person's own address: the confidence of /find-email without a probe",
    }),
    basis: Basis,
  }).openapi({ description: "The most likely first. Empty when reason is set" }),
})

const formatProbability = endpoint("key-optional", "GET /check/format-probability", {
  operationId: "checkFormatProbability",
  summary: "Rank a person's possible addresses",
  description:
    "Returns each likely address of a person with its probability, from formats and stored results. Costs no credit and probes no mail server.",
  query: z.object({
    first_name: personName("Given names, in any script", "Alice"),
    last_name: personName("Family names, in any script", "Smith"),
    domain: companyDomain(),
  }),
  answer: FormatProbability,
  problems: [400],
  async handle(c) {
    const query = c.req.valid("query")
    const domain = requireDomain(query.domain)
    const name = requireName({ firstName: query.first_name, lastName: query.last_name })
    const { formats, findings, assess } = await noCharge(c.var.meter, () =>
      findCandidates(c.var.ctx, { name, domain, accountId: accountOf(c.var.caller) }),
    )
    return {
      domain,
      source: sourceOf(formats),
      reason: formats.reason,
      is_learned: formats.sampleCount > 0,
      sample_count: formats.sampleCount,
      candidates: assess(findings).map((candidate) => ({
        email: candidate.email,
        format_type: candidate.format,
        probability: round(candidate.confidence),
        basis: presentBasis(candidate),
      })),
    } satisfies z.infer<typeof FormatProbability>
  },
})

const NameRealism = component("NameRealism", {
  name: z.string(),
  realism_score: share.openapi({ description: "Score of the least plausible word" }),
  is_realistic: z.boolean(),
  is_gibberish: z.boolean(),
  words: arrayOf({
    word: z.string(),
    score: share,
    script: z.string().nullable(),
    finding: z.enum([
      "known_name",
      "plausible",
      "implausible_letters",
      "keyboard_run",
      "repeated_letters",
      "placeholder",
      "digits",
      "mixed_scripts",
      "unknown_script",
      "no_letters",
    ]),
  }),
})

const nameRealism = endpoint("key-optional", "GET /check/name-realism", {
  operationId: "checkNameRealism",
  summary: "Check a name",
  description: "Says whether a name is realistic, by the letters of names in its script. Costs no credit.",
  query: z.object({ name: personName("A whole name or one word of it", "Alice Smith") }),
  answer: NameRealism,
  handle(c) {
    const { name } = c.req.valid("query")
    const words = name
      .split(/[\s,]+/)
      .filter((word) => /[\p{L}\p{N}]/u.test(word))
      .slice(0, 10)
      .map((word) => ({ word, ...realismOf(word) }))
    const worst = words.reduce((least, word) => (word.score < least.score ? word : least))
    const gibberish = ["implausible_letters", "keyboard_run", "repeated_letters"]
    return {
      name,
      realism_score: round(worst.score),
      is_realistic: worst.score >= 0.5,
      is_gibberish: gibberish.includes(worst.finding),
      words: words.map(({ word, score, script, finding }) => ({ word, score: round(score), script, finding })),
    } satisfies z.infer<typeof NameRealism>
  },
})

const linkedinName = endpoint("key-optional", "GET /check/linkedin-name", {
  operationId: "checkLinkedinName",
  summary: "Read a name from a profile URL",
  description:
    "Reads the name in the URL of a public profile. The profile itself is not fetched, and no credit is used.",
  query: z.object({
    url: z.string().trim().min(1).max(500).openapi({
      description: "URL of a profile at LinkedIn",
      example: "https://www.linkedin.com/in/alice-smith-4b2a91",
    }),
  }),
  answer: component("ProfileName", {
    slug: z.string().openapi({ example: "alice-smith-4b2a91" }),
    first_name: z.string(),
    last_name: z.string(),
    suffix: z.string().nullable().openapi({ description: "The suffix that the site adds to a name already in use" }),
    confidence: share,
  }),
  problems: [400],
  handle(c) {
    const found = readProfileSlug(c.req.valid("query").url)
    if (!found) throw new AppError("bad_request", "url: must be a profile's URL or the last part of its path")
    const { slug, firstName, lastName, suffix, confidence } = found
    return { slug, first_name: firstName, last_name: lastName, suffix, confidence }
  },
})

export const checkNameEndpoints: Endpoint[] = [formatProbability, nameRealism, linkedinName]

import { z } from "@hono/zod-openapi"
import { accountOf } from "../../domain/accounts/caller.ts"
import { patternOf } from "../../domain/address/address-forms.ts"
import { formatsAt } from "../../domain/finder/domain-formats.ts"
import { inferFormats } from "../../domain/finder/formats.ts"
import { countryOf, priorOf } from "../../domain/finder/possible-companies.ts"
import { classifyAddress } from "../../domain/reference/classify.ts"
import { AppError } from "../../errors.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { arrayOf, component, orElse, round, share, wellFormed } from "../../http/fields.ts"
import { mailbox } from "../../http/input-fields.ts"
import { chargeCredits, noCharge, pricesFor } from "../../services/accounts/charge.ts"
import { requireName } from "../../services/finder/caller-input.ts"
import { readFormats } from "../../services/finder/formats.ts"
import { crossReference } from "../../services/signals/address-signals.ts"
import { NoFormats } from "../finder/fields.ts"

const endpoint = endpointsOf("signals")

const Pattern = component("PatternCheck", {
  email: z.string(),
  pattern_match: z.string().openapi({ description: "By the form of the address alone", example: "{first}.{last}" }),
  formats: arrayOf({ format: z.string(), probability: share }).openapi({
    description: "Possible formats, by the form of the address, lists of names and how common the formats are",
  }),
  is_role_account: z.boolean(),
  domain_format: z.string().nullable().openapi({
    description: "The domain's most common format; null when no address of the domain is known, or reason is set",
  }),
  samples: z.int().openapi({ description: "Addresses of the domain that show its format" }),
  reason: NoFormats,
  matches_domain_format: z.boolean().nullable().openapi({
    description: "Whether the most likely format of the address is the domain's; null when that is unknown",
  }),
})

const pattern = endpoint("key-optional", "GET /check/pattern", {
  operationId: "checkPattern",
  summary: "Get an address's format",
  description: "Names the format of an address, and says whether its domain uses it. Costs no credit.",
  query: z.object({ email: mailbox() }),
  answer: Pattern,
  problems: [400],
  async handle(c) {
    const address = wellFormed(c.req.valid("query").email)
    const known = await noCharge(c.var.meter, () => readFormats(c.var.ctx, { domain: address.domain }))
    const top = known.sampleCount > 0 ? known.formats[0]!.format : null
    // Not by the domain's own formats: they would explain an address in another format away.
    const common = priorOf("medium", countryOf(address.domain))
    const formats = formatsAt(inferFormats({ localPart: address.local }), common)
    return {
      email: address.normalized,
      pattern_match: patternOf(address.local),
      formats: formats.slice(0, 5).map(([format, probability]) => ({ format, probability: round(probability) })),
      is_role_account: classifyAddress(address).isRole,
      domain_format: top,
      samples: known.sampleCount,
      reason: known.reason,
      matches_domain_format: top === null ? null : formats[0]?.[0] === top,
    } satisfies z.infer<typeof Pattern>
  },
})

const NOTES = {
  exists: "the sign-in page knows the name; a weak sign, never proof",
  not_found: "the sign-in page does not know the name, which proves nothing",
  throttled: "the sign-in page limits requests; try again later",
  not_asked: "the domain is a reserved name, so the sign-in page was not queried",
  failure: "the sign-in page gave no readable answer",
} as const

const msCredential = endpoint("key-optional", "GET /check/ms-credential", {
  operationId: "checkMsCredential",
  summary: "Look a name up at Microsoft's sign-in",
  description:
    "Queries Microsoft's sign-in page for the name, which is a weak sign. Costs one credit for a clear answer. 503 unless the operator switched it on.",
  query: z.object({ email: mailbox() }),
  answer: component("MsCredential", {
    email: z.string(),
    exists: z.union([z.literal(true), z.null()]).openapi({
      description: "True is a weak sign. Null means nothing, because most tenants give the same answer for every name",
    }),
    throttled: z.boolean(),
    note: z.string(),
  }),
  problems: [400],
  async handle(c) {
    const address = wellFormed(c.req.valid("query").email)
    const { credentialType } = c.var.ctx
    const most = pricesFor(c.var.ctx, accountOf(c.var.caller)).ofWork(address, 1)
    if (credentialType === null)
      throw new AppError("not_configured", "not switched on: needs MS_CREDENTIAL_CHECK=1 and MS_CREDENTIAL_URL")
    const { kind } = await chargeCredits(
      c.var.meter,
      { most, costOf: ({ kind }) => (kind === "exists" || kind === "not_found" ? 1 : 0) },
      () => credentialType.query(address.normalized),
    )
    const exists = kind === "exists" ? (true as const) : null
    return { email: address.normalized, exists, throttled: kind === "throttled", note: NOTES[kind] }
  },
})

const CrossReferenceAnswer = component("CrossReference", {
  email: z.string(),
  conclusion: z.enum(["consistent", "mixed", "contradictory", "insufficient"]),
  agreement: share.nullable().openapi({ description: "Weighted share of the signals that agree" }),
  signals: arrayOf({
    signal: z.string().openapi({ example: "name_local_part" }),
    agrees: z.boolean().nullable().openapi({ description: "Null when it gives no evidence" }),
    weight: z.number(),
    detail: z.string(),
  }),
})

const cross = endpoint("key-optional", "POST /check/cross-reference", {
  operationId: "checkCrossReference",
  summary: "Compare a person, an address and a company",
  description:
    "Says whether a name, an address and a company match, with the reasons. Costs no credit and probes no mail server.",
  json: z.object({
    email: mailbox(),
    first_name: orElse(z.string().trim().max(100), "").openapi({
      description: "Given names of the person",
      example: "Alice",
    }),
    last_name: orElse(z.string().trim().max(100), "").openapi({
      description: "Family names of the person",
      example: "Smith",
    }),
    company_name: orElse(z.string().trim().max(200), "").openapi({
      description: "Name of the company",
      example: "Mailbox Ltd",
    }),
  }),
  answer: CrossReferenceAnswer,
  problems: [400],
  async handle(c) {
    const { ctx, caller } = c.var
    const { email, first_name, last_name, company_name } = c.req.valid("json")
    const isNamed = first_name !== "" || last_name !== ""
    const name = isNamed ? requireName({ firstName: first_name, lastName: last_name }) : null
    const found = await noCharge(c.var.meter, () =>
      crossReference(ctx, { email, name, companyName: company_name, accountId: accountOf(caller) }),
    )
    return {
      email: found.email,
      conclusion: found.conclusion,
      agreement: round(found.agreement),
      signals: found.signals.map(({ signal, agrees, weight, detail }) => ({ signal, agrees, weight, detail })),
    } satisfies z.infer<typeof CrossReferenceAnswer>
  },
})

export const checkAddressEndpoints: Endpoint[] = [pattern, msCredential, cross]

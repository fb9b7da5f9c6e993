import { z } from "@hono/zod-openapi"
import type { Context } from "hono"
import { STATUSES } from "../../../schema/vocabulary.ts"
import { accountOf } from "../../domain/accounts/caller.ts"
import { presentBreakdown, presentChecks } from "../../domain/verification/checks.ts"
import type { Verification } from "../../domain/verification/verification.ts"
import { canSend, grade, mailHosts, score, shownAddress, syntaxValid } from "../../http/answer-fields.ts"
import { type AppEnv, type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { component, email, mxKind, mxValid, orElse, repaired, suggestion, tldExists } from "../../http/fields.ts"
import { checkQuickly, checkSyntax } from "../../services/verification/quick-checks.ts"
import { verifyForCaller } from "../../services/verification/verify.ts"
import { breachEndpoints } from "./breach-intel.ts"
import { catchAllEndpoints, directoryEndpoints } from "./catchall.ts"
import { Checks, ScoreBreakdown } from "./checks.ts"
import { fastEndpoints } from "./fast.ts"
import { inputOf, VerifyBody, type VerifyOptions, VerifyQuery } from "./options.ts"
import {
  Deliverability,
  Enrichment,
  Explanation,
  presentDeliverability,
  presentEnrichment,
  presentExplanation,
} from "./present-deliverability.ts"
import { NormalizedChecks, presentNormalized, presentSummary, Summary } from "./present-summary.ts"
import { quickEndpoints } from "./quick.ts"
import { typoEndpoints } from "./typo.ts"

const endpoint = endpointsOf("verification")

const validate = endpoint("key-optional", "GET /validate", {
  operationId: "validate",
  summary: "Verify an address",
  description:
    "Runs every check and returns the status, the score and the send decision in `deliverability_score.can_send`. Costs one credit, and another with `breach`. A fresh stored result, an `unknown` status and a malformed address are free. A live probe takes up to `timeout_ms`, so give your client at least 60 seconds.",
  query: VerifyQuery,
  answer: Deliverability,
  handle: (c) => answerInFull(c, c.req.valid("query")),
})

const validateByBody = endpoint("key-optional", "POST /validate", {
  operationId: "validateByBody",
  summary: "Verify an address, by JSON body",
  description:
    "Does the same as `GET /validate`, with the same cost. Use it where access logs must not hold addresses. `Idempotency-Key` makes a retry free.",
  json: VerifyBody,
  answer: Deliverability,
  costs: true,
  handle: (c) => answerInFull(c, c.req.valid("json")),
})

async function answerInFull(c: Context<AppEnv>, options: VerifyOptions): Promise<z.infer<typeof Deliverability>> {
  const verification = await verifyRequested(c, options)
  return { ...presentDeliverability(verification), ...extras(c, verification, options) }
}

function verifyRequested(
  { var: { ctx, meter, caller } }: Context<AppEnv>,
  options: VerifyOptions,
): Promise<Verification> {
  return verifyForCaller(ctx, meter, { ...inputOf(options), caller })
}

/** The optional parts that the caller requested. */
function extras(c: Context<AppEnv>, verification: Verification, { enrich, explain }: VerifyOptions) {
  return {
    ...(enrich ? { enrichment: presentEnrichment(verification) } : {}),
    ...(explain ? { explanation: presentExplanation(verification, c.var.ctx.clock.now()) } : {}),
  }
}

const View = z.enum(["full", "normalized"])
const ABOUT_VIEW = "`normalized` adds each check as one word"
const ChecksAnswer = component("ChecksAnswer", {
  checks: z
    .union([Checks, NormalizedChecks])
    .openapi({ description: "The result; with view=normalized, one word for each check" }),
  summary: Summary,
  score_breakdown: ScoreBreakdown,
  explanation: Explanation.optional().openapi({ description: "With explain=true" }),
})

const validateChecks = endpoint("key-optional", "GET /validate/checks", {
  operationId: "validateChecks",
  summary: "Verify an address, flat result",
  description:
    "Does the same as `GET /validate`, with the same cost. The answer has each check as a flat field, which suits tables and data pipelines. `view=normalized` adds each check as one word.",
  query: VerifyQuery.omit({ enrich: true }).extend({ view: View.default("full").openapi({ description: ABOUT_VIEW }) }),
  answer: ChecksAnswer,
  handle: (c) => answerChecks(c, c.req.valid("query")),
})

const validateChecksByBody = endpoint("key-optional", "POST /validate/checks", {
  operationId: "validateChecksByBody",
  summary: "Verify an address, flat result, by JSON body",
  description: "Does the same as `GET /validate/checks`, with the same cost. The address stays out of access logs.",
  json: VerifyBody.omit({ enrich: true }).extend({ view: orElse(View, "full").openapi({ description: ABOUT_VIEW }) }),
  answer: ChecksAnswer,
  costs: true,
  handle: (c) => answerChecks(c, c.req.valid("json")),
})

async function answerChecks(
  c: Context<AppEnv>,
  options: VerifyOptions & { view: z.infer<typeof View> },
): Promise<z.infer<typeof ChecksAnswer>> {
  const verification = await verifyRequested(c, options)
  return {
    checks: options.view === "normalized" ? presentNormalized(verification) : presentChecks(verification),
    summary: presentSummary(verification),
    score_breakdown: presentBreakdown(verification),
    ...extras(c, verification, options),
  }
}

const validateWithScore = endpoint("key-optional", "GET /validate/with-score", {
  operationId: "validateWithScore",
  summary: "Verify an address, with its score",
  description:
    "Does the same as `GET /validate`, with the same cost. The answer has the score, its grade and the flat checks.",
  query: VerifyQuery.omit({ explain: true }),
  answer: component("WithScore", {
    email: shownAddress,
    repaired: repaired(),
    did_you_mean: suggestion(),
    score: score,
    grade: grade,
    can_send: canSend,
    checks: Checks,
    enrichment: Enrichment.optional().openapi({ description: "With enrich=true" }),
  }),
  async handle(c) {
    const options = c.req.valid("query")
    const verification = await verifyRequested(c, options)
    const checks = presentChecks(verification)
    const { email, repaired, did_you_mean, score, grade, can_send } = checks
    const head = { email, repaired, did_you_mean, score, grade, can_send }
    return { ...head, checks, ...extras(c, verification, options) }
  },
})

const Quick = component("Quick", {
  email: shownAddress,
  repaired: repaired(),
  syntax_valid: syntaxValid,
  mx_valid: mxValid,
  mx_kind: mxKind,
  tld_exists: tldExists,
  mx_records: mailHosts,
  status: z.enum(STATUSES).openapi({
    description: "`valid` and `accept_all` only from a stored result: DNS alone says nothing about a mailbox",
  }),
  note: z.string().openapi({
    description: "What the status rests on, in a sentence",
    example: "the domain accepts mail; the mailbox itself was not probed",
  }),
  cached: z.boolean().openapi({ description: "From a fresh stored result; not counted" }),
  did_you_mean: suggestion(),
  verified_at: z.iso.datetime().nullable().openapi({ description: "Time of the stored result; null without one" }),
})

const validateQuick = endpoint("key-optional", "GET /validate/quick", {
  operationId: "validateQuick",
  summary: "Check an address without a probe",
  description:
    "Returns a fresh stored result, or else the syntax and the domain's DNS records. Never contacts a mail server and costs no credit. Without a stored result, the status is `invalid` or `unknown`, because DNS says nothing about a mailbox.",
  query: z.object({ email: email() }),
  answer: Quick,
  async handle(c) {
    const quick = await checkQuickly(c.var.ctx, c.var.meter, {
      email: c.req.valid("query").email,
      accountId: accountOf(c.var.caller),
    })
    return {
      email: quick.email,
      repaired: quick.repaired,
      syntax_valid: quick.syntaxValid,
      mx_valid: quick.mxValid,
      mx_kind: quick.mxKind,
      tld_exists: quick.tldExists,
      mx_records: [...quick.mxHosts],
      status: quick.status,
      note: quick.note,
      cached: quick.cached,
      did_you_mean: quick.didYouMean,
      verified_at: quick.verifiedAt,
    } satisfies z.infer<typeof Quick>
  },
})

const validateSyntax = endpoint("key-optional", "GET /validate/syntax", {
  operationId: "validateSyntax",
  summary: "Check the syntax",
  description:
    "Parses the address without any network request, free of charge. For a malformed address, `reason` and `position` name the problem, and `did_you_mean` has the address that was probably meant.",
  query: z.object({ email: email() }),
  answer: component("Syntax", {
    email: shownAddress,
    repaired: repaired(),
    valid: syntaxValid,
    normalized: z.string().openapi({ description: "Empty when the address is malformed" }),
    tld_exists: tldExists,
    did_you_mean: z.string().nullable().openapi({ description: "The likely address, by the text alone" }),
    reason: z
      .string()
      .nullable()
      .openapi({ description: "The problem of a malformed address in a word, for programs; else null" }),
    position: z.int().nullable().openapi({ description: "Position of the problem, in UTF-16 units from 0" }),
    message: z
      .string()
      .nullable()
      .openapi({ description: "The problem of a malformed address in a sentence; else null" }),
  }),
  handle(c) {
    const { email, repaired, normalized, tldExists, didYouMean, problem } = checkSyntax(c.req.valid("query"))
    const { reason = null, position = null, message = null } = problem ?? {}
    const about = { valid: !problem, normalized, tld_exists: tldExists, did_you_mean: didYouMean }
    return { email, repaired, ...about, reason, position, message }
  },
})

const validateEndpoints: Endpoint[] = [
  validate,
  validateByBody,
  validateChecks,
  validateChecksByBody,
  validateWithScore,
  validateQuick,
  validateSyntax,
]

export const VERIFICATION_ENDPOINTS: readonly Endpoint[] = [
  ...validateEndpoints,
  ...fastEndpoints,
  ...quickEndpoints,
  ...typoEndpoints,
  ...breachEndpoints,
  ...catchAllEndpoints,
  ...directoryEndpoints,
]

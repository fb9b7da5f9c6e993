import { createRoute, z } from "@hono/zod-openapi"
import type { Context } from "hono"
import type { Verification } from "../../domain/verdict/verification.ts"
import { type AppEnv, costing, type Endpoint, endpoint } from "../../http/endpoint.ts"
import { email, json, orElse } from "../../http/fields.ts"
import { Checks, presentBreakdown, presentChecks, ScoreBreakdown } from "../../http/present/checks.ts"
import { Deliverability, presentDeliverability } from "../../http/present/deliverability.ts"
import { Enrichment, presentEnrichment } from "../../http/present/enrichment.ts"
import { Explanation, presentExplanation } from "../../http/present/explanation.ts"
import { NormalizedChecks, presentNormalized, presentSummary, Summary } from "../../http/present/summary.ts"
import { ok } from "../../http/responses.ts"
import { verifyFor } from "../../http/verify-for.ts"
import { checkQuickly } from "../../services/verification/check-quickly.ts"
import { checkSyntax } from "../../services/verification/check-syntax.ts"
import { type Asked, inputOf, VerifyBody, VerifyQuery } from "./options.ts"

const validate = endpoint(
  "key-optional",
  createRoute({
    method: "get",
    path: "/validate",
    operationId: "validate",
    tags: ["verification"],
    summary: "Verify one address with every check",
    request: { query: VerifyQuery },
    responses: { 200: ok(Deliverability) },
  }),
  async (c) => c.json(await answerInFull(c, c.req.valid("query")), 200),
)

const validateByBody = endpoint(
  "key-optional",
  createRoute({
    method: "post",
    path: "/validate",
    operationId: "validateByBody",
    tags: ["verification"],
    summary: "Verify one address with every check; options in the body",
    request: { body: json(VerifyBody) },
    responses: { 200: ok(Deliverability) },
  }),
  async (c) => c.json(await answerInFull(c, c.req.valid("json")), 200),
)

async function answerInFull(c: Context<AppEnv>, asked: Asked): Promise<z.infer<typeof Deliverability>> {
  const verification = await verifyFor(c, inputOf(asked))
  return { ...presentDeliverability(verification), ...extras(c, verification, asked) }
}

/** What comes on top when the caller asked for it. */
function extras(c: Context<AppEnv>, verification: Verification, { enrich, explain }: Asked) {
  return {
    ...(enrich ? { enrichment: presentEnrichment(verification) } : {}),
    ...(explain ? { explanation: presentExplanation(verification, c.var.deps.clock.now()) } : {}),
  }
}

const View = z.enum(["full", "normalized"])
const ChecksAnswer = z
  .object({
    checks: z.union([Checks, NormalizedChecks]),
    summary: Summary,
    score_breakdown: ScoreBreakdown,
    explanation: Explanation.optional().openapi({ description: "With explain=true" }),
  })
  .openapi("ChecksAnswer")

const validateChecks = endpoint(
  "key-optional",
  createRoute({
    method: "get",
    path: "/validate/checks",
    operationId: "validateChecks",
    tags: ["verification"],
    summary: "Verify one address; the answer as checks, made for data pipelines",
    request: { query: VerifyQuery.omit({ enrich: true }).extend({ view: View.default("full") }) },
    responses: { 200: ok(ChecksAnswer) },
  }),
  async (c) => c.json(await answerChecks(c, c.req.valid("query")), 200),
)

const validateChecksByBody = endpoint(
  "key-optional",
  createRoute({
    method: "post",
    path: "/validate/checks",
    operationId: "validateChecksByBody",
    tags: ["verification"],
    summary: "Verify one address; options in the body, the answer as checks",
    request: { body: json(VerifyBody.omit({ enrich: true }).extend({ view: orElse(View, "full") })) },
    responses: { 200: ok(ChecksAnswer) },
  }),
  async (c) => c.json(await answerChecks(c, c.req.valid("json")), 200),
)

async function answerChecks(
  c: Context<AppEnv>,
  asked: Asked & { view: z.infer<typeof View> },
): Promise<z.infer<typeof ChecksAnswer>> {
  const verification = await verifyFor(c, inputOf(asked))
  return {
    checks: asked.view === "normalized" ? presentNormalized(verification) : presentChecks(verification),
    summary: presentSummary(verification),
    score_breakdown: presentBreakdown(verification),
    ...extras(c, verification, asked),
  }
}

const WithScore = z
  .object({
    email: z.string(),
    score: z.int().min(0).max(100),
    grade: z.string(),
    can_send: z.boolean(),
    checks: Checks,
    enrichment: Enrichment.optional(),
  })
  .openapi("WithScore")

const validateWithScore = endpoint(
  "key-optional",
  createRoute({
    method: "get",
    path: "/validate/with-score",
    operationId: "validateWithScore",
    tags: ["verification"],
    summary: "Verify one address and give its score, in one call",
    request: { query: VerifyQuery.omit({ explain: true }) },
    responses: { 200: ok(WithScore) },
  }),
  async (c) => {
    const asked = c.req.valid("query")
    const verification = await verifyFor(c, inputOf(asked))
    const checks = presentChecks(verification)
    const { score, grade, can_send } = checks
    return c.json({ email: checks.email, score, grade, can_send, checks, ...extras(c, verification, asked) }, 200)
  },
)

const Quick = z
  .object({
    email: z.string(),
    syntax_valid: z.boolean(),
    mx_valid: z.boolean(),
    mx_records: z.array(z.string()),
    status: z.enum(["valid", "invalid", "unknown", "invalid_syntax"]),
    note: z.string(),
  })
  .openapi("Quick")

const validateQuick = endpoint(
  "key-optional",
  createRoute({
    method: "get",
    path: "/validate/quick",
    operationId: "validateQuick",
    tags: ["verification"],
    summary: "Look at syntax and DNS only; no mail server is asked",
    request: { query: z.object({ email: email() }) },
    responses: { 200: ok(Quick) },
  }),
  async (c) => {
    const quick = await checkQuickly(c.var.deps, c.req.valid("query"))
    const { email, syntaxValid, mxValid, mxHosts, status, note } = quick
    return c.json({ email, syntax_valid: syntaxValid, mx_valid: mxValid, mx_records: mxHosts, status, note }, 200)
  },
)

const Syntax = z
  .object({
    email: z.string(),
    valid: z.boolean(),
    normalized: z.string().openapi({ description: "Empty when the address is malformed" }),
    did_you_mean: z.string().nullable(),
    reason: z.string().nullable(),
    position: z.int().nullable().openapi({ description: "Where the problem is, in UTF-16 units from 0" }),
    message: z.string().nullable(),
  })
  .openapi("Syntax")

const validateSyntax = endpoint(
  "key-optional",
  createRoute({
    method: "get",
    path: "/validate/syntax",
    operationId: "validateSyntax",
    tags: ["verification"],
    summary: "Look at the syntax only; no network",
    request: { query: z.object({ email: email() }) },
    responses: { 200: ok(Syntax) },
  }),
  (c) => {
    const { email, normalized, didYouMean, problem } = checkSyntax(c.req.valid("query"))
    const { reason = null, position = null, message = null } = problem ?? {}
    return c.json({ email, valid: !problem, normalized, did_you_mean: didYouMean, reason, position, message }, 200)
  },
)

export const validateEndpoints: Endpoint[] = [
  validate,
  costing(validateByBody),
  validateChecks,
  costing(validateChecksByBody),
  validateWithScore,
  validateQuick,
  validateSyntax,
]

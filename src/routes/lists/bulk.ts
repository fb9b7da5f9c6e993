import { z } from "@hono/zod-openapi"
import { SUB_STATUSES } from "../../../schema/vocabulary.ts"
import { accountOf } from "../../domain/accounts/caller.ts"
import { shownEmail } from "../../domain/address/address-forms.ts"
import { repairsOf } from "../../domain/address/parse.ts"
import { didYouMean } from "../../domain/address/typo-suggestion.ts"
import type { Brief } from "../../domain/verification/checks.ts"
import type { Verification } from "../../domain/verification/verification.ts"
import { canSend, grade, score, shownAddress, verdictStatus } from "../../http/answer-fields.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { arrayOf, component, orElse, repaired, suggestion } from "../../http/fields.ts"
import { verifyList, verifyTurbo } from "../../services/lists/verify-list.ts"
import { recordHistory } from "../../services/verification/settle.ts"
import { compareEndpoints, dedupEndpoints } from "./compare.ts"
import { jobEndpoints } from "./jobs.ts"
import { countsShape } from "./present-job.ts"
import { resultEndpoints } from "./results.ts"
import { uploadEndpoints } from "./upload.ts"

const endpoint = endpointsOf("bulk")

/** Bulk result, variant B of the interface. */
const BulkResult = component("BulkResult", "A short list's results, in the order given", {
  total: z.int().openapi({ description: "Results in this answer" }),
  processing_time_ms: z.int().openapi({ description: "Milliseconds that the call took" }),
  summary: z
    .object(countsShape)
    .partial()
    .openapi({ description: "Results by status, without those that do not occur", example: { valid: 2, invalid: 1 } }),
  results: arrayOf({
    email: shownAddress,
    repaired: repaired(),
    status: verdictStatus,
    confidence_score: score,
    did_you_mean: suggestion(),
    sub_status: z
      .enum(SUB_STATUSES)
      .optional()
      .openapi({ description: "What decided the status; missing when the mail server was not probed" }),
    is_suppressed: z.boolean().optional().openapi({ description: "With check_suppression: do not send" }),
  }).openapi({ description: "A result for each address" }),
})

function presentBulk(
  verifications: readonly Verification[],
  { elapsedMs, suppression }: { elapsedMs: number; suppression: boolean },
): z.infer<typeof BulkResult> {
  const summary: z.infer<typeof BulkResult>["summary"] = {}
  for (const { verdict } of verifications) summary[verdict.status] = (summary[verdict.status] ?? 0) + 1
  return {
    total: verifications.length,
    processing_time_ms: Math.round(elapsedMs),
    summary,
    results: verifications.map(({ evidence, verdict, score, isSuppressed }) => ({
      email: shownEmail(evidence.address),
      repaired: repairsOf(evidence.address),
      status: verdict.status,
      confidence_score: score.total,
      did_you_mean: didYouMean(evidence.address, evidence.domain?.route),
      ...(verdict.subStatus ? { sub_status: verdict.subStatus } : {}),
      ...(suppression ? { is_suppressed: isSuppressed } : {}),
    })),
  }
}

const BriefChecks = component("BriefChecks", "The result of an address in short", {
  email: shownAddress,
  repaired: repaired(),
  did_you_mean: suggestion(),
  deliverable: z
    .boolean()
    .openapi({ description: "The mail server accepted the recipient, and your account reported no hard bounce" }),
  can_send: canSend,
  status: verdictStatus,
  score,
  grade,
  cached: z.boolean().openapi({ description: "The result was stored before this call" }),
})

/** Bulk result, variant A of the interface. */
const TurboResult = component("TurboResult", {
  results: arrayOf({
    rows: z
      .array(z.int().min(0))
      .openapi({ description: "Positions of the address in your list, from 0", example: [0, 4] }),
    checks: BriefChecks,
  }).openapi({ description: "A result for each address, in no fixed order" }),
  stats: z
    .object({
      total: z
        .int()
        .openapi({ description: "Results in this answer: the sum of the cached, fresh, unknown and malformed ones" }),
      deduplicated: z.int().openapi({ description: "Duplicates removed from the list" }),
      cache_hits: z.int().openapi({ description: "Results that were stored before this call; free of charge" }),
      fresh_verified: z.int().openapi({ description: "Verified in this call, with a clear result" }),
      unknown: z.int().openapi({ description: "Verified in this call without a clear result; free of charge" }),
      malformed: z.int().openapi({ description: "Malformed addresses; free of charge" }),
      elapsed_seconds: z.number().openapi({ description: "Seconds that the call took" }),
      emails_per_second: z.number().openapi({ description: "`total` divided by `elapsed_seconds`" }),
    })
    .openapi({ description: "Counts and times of this call" }),
})

function presentBrief({
  email,
  repaired,
  didYouMean,
  deliverable,
  canSend,
  status,
  score,
  grade,
  cached,
}: Brief): z.infer<typeof BriefChecks> {
  const about = { email, repaired: [...repaired], did_you_mean: didYouMean }
  return { ...about, deliverable, can_send: canSend, status, score, grade, cached }
}

const EXAMPLE = ["alice@mailbox.test", "nobody@mailbox.test"]
const emails = (max: number) =>
  z.array(z.string()).min(1).max(max).openapi({ description: "The addresses", example: EXAMPLE })
const smtp = orElse(z.boolean(), true).openapi({ description: "Probe the mail servers for the mailboxes" })

const validateBulk = endpoint("key-optional", "POST /validate/bulk", {
  operationId: "validateBulk",
  summary: "Verify up to 100 addresses",
  description:
    "Verifies the addresses in one call and probes each again, without stored results. Costs one credit for each address with a result; `unknown` and malformed ones are free. Use turbo to profit from stored results.",
  json: z.object({
    emails: emails(100),
    smtp,
    deduplicate: orElse(z.boolean(), false).openapi({ description: "Remove duplicates from the list" }),
    check_suppression: orElse(z.boolean(), false).openapi({ description: "Mark the suppressed addresses" }),
    max_concurrent: z.int().min(1).max(100).nullish().openapi({ description: "Addresses verified at a time" }),
  }),
  answer: BulkResult,
  costs: true,
  async handle(c) {
    const { check_suppression: checkSuppression, max_concurrent, ...body } = c.req.valid("json")
    const { caller, ctx, meter } = c.var
    const { clock } = ctx
    const startedAt = clock.now()
    const accountId = accountOf(caller)
    const maxConcurrent = max_concurrent ?? null
    const verified = await verifyList(ctx, meter, { ...body, checkSuppression, maxConcurrent, accountId })
    recordHistory(ctx, meter, { caller, verifications: verified })
    const elapsedMs = clock.now() - startedAt
    return presentBulk(verified, { elapsedMs, suppression: checkSuppression })
  },
})

const validateTurbo = endpoint("key-optional", "POST /validate/bulk/turbo", {
  operationId: "validateTurbo",
  summary: "Verify up to 5,000 addresses",
  description:
    "Returns stored results first, and probes the rest within 55 seconds. Addresses that are not finished are `unknown`, cost nothing and go on in the background. Costs one credit for each new result.",
  json: z.object({
    emails: emails(5_000),
    smtp,
    deduplicate: orElse(z.boolean(), true).openapi({ description: "Remove duplicates from the list" }),
  }),
  answer: TurboResult,
  body: { maxBytes: 2_000_000 },
  costs: true,
  async handle(c) {
    const { emails, smtp, deduplicate } = c.req.valid("json")
    const { background, clock } = c.var.ctx
    const { caller } = c.var
    const accountId = accountOf(caller)
    const answer = await verifyTurbo(c.var.ctx, c.var.meter, { emails, smtp, deduplicate, accountId })
    const keyId = caller.kind === "member" ? caller.keyId : null
    background(c.var.ctx.store.history.count({ accountId, keyId }, answer.briefs, clock.now()))
    const { briefs, duplicates, cacheHits, freshVerified, unknown, malformed, elapsedMs } = answer
    const stats = {
      total: briefs.length,
      deduplicated: duplicates,
      cache_hits: cacheHits,
      fresh_verified: freshVerified,
      unknown,
      malformed,
      elapsed_seconds: elapsedMs / 1_000,
      emails_per_second: Math.round((briefs.length * 10_000) / Math.max(1, elapsedMs)) / 10,
    }
    return { results: briefs.map((brief) => ({ rows: [...brief.rows], checks: presentBrief(brief) })), stats }
  },
})

const bulkEndpoints: Endpoint[] = [validateBulk, validateTurbo]

export const BULK_ENDPOINTS: readonly Endpoint[] = [
  ...bulkEndpoints,
  ...jobEndpoints,
  ...uploadEndpoints,
  ...resultEndpoints,
  ...compareEndpoints,
  ...dedupEndpoints,
]

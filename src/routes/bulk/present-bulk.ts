import { z } from "@hono/zod-openapi"
import { GRADES, STATUSES, SUB_STATUSES } from "../../../schema/vocabulary.ts"
import { shownEmail } from "../../domain/address/address-forms.ts"
import { repairsOf } from "../../domain/address/parse.ts"
import { didYouMean } from "../../domain/address/typo-suggestion.ts"
import type { Brief } from "../../domain/verification/checks.ts"
import type { Verification } from "../../domain/verification/verification.ts"
import { repaired, suggestion } from "../../http/fields.ts"

const score = z.int().min(0).max(100)

/** Bulk result, variant B of the interface. */
export const BulkResult = z
  .object({
    total: z.int(),
    processing_time_ms: z.int(),
    summary: z.partialRecord(z.enum(STATUSES), z.int()).openapi({ example: { valid: 2, invalid: 1 } }),
    results: z.array(
      z.object({
        email: z.string(),
        repaired: repaired(),
        status: z.enum(STATUSES),
        confidence_score: score,
        did_you_mean: suggestion(),
        sub_status: z.enum(SUB_STATUSES).optional(),
        is_suppressed: z.boolean().optional().openapi({ description: "With check_suppression: do not send" }),
      }),
    ),
  })
  .openapi("BulkResult", { description: "A short list's results, in the order given" })

export function presentBulk(
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

export const BriefChecks = z
  .object({
    email: z.string(),
    repaired: repaired(),
    did_you_mean: suggestion(),
    deliverable: z.boolean(),
    can_send: z.boolean(),
    status: z.enum(STATUSES),
    score,
    grade: z.enum(GRADES),
    cached: z.boolean(),
  })
  .openapi("BriefChecks")

/** Bulk result, variant A of the interface. */
export const TurboResult = z
  .object({
    results: z.array(
      z.object({
        rows: z
          .array(z.int().min(0))
          .openapi({ description: "Positions of the address in your list, from 0", example: [0, 4] }),
        checks: BriefChecks,
      }),
    ),
    stats: z.object({
      total: z
        .int()
        .openapi({ description: "Results in this answer: the sum of the cached, fresh, unknown and malformed ones" }),
      deduplicated: z.int().openapi({ description: "Duplicates removed from the list" }),
      cache_hits: z.int(),
      fresh_verified: z.int().openapi({ description: "Verified in this call, with a clear result" }),
      unknown: z.int().openapi({ description: "Verified in this call without a clear result; free of charge" }),
      malformed: z.int(),
      elapsed_seconds: z.number(),
      emails_per_second: z.number(),
    }),
  })
  .openapi("TurboResult")

export function presentBrief({
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

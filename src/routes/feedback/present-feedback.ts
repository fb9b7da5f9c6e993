import { z } from "@hono/zod-openapi"
import { STATUSES } from "../../../schema/vocabulary.ts"
import type { DailyKind, DomainKind } from "../../adapters/store/feedback/feedback.ts"
import type { Accuracy, KindCount } from "../../domain/feedback/accuracy.ts"
import { share } from "../../http/fields.ts"

const count = z.int().min(0)
const shareOrNull = share.nullable().openapi({ description: "Null without data" })

export const AccuracyStats = z
  .object({
    samples: count,
    correct: count,
    incorrect: count,
    undecided: count.openapi({ description: "Facts that prove nothing about the verdict" }),
    accuracy: shareOrNull,
    by_status: z.array(z.object({ status: z.enum(STATUSES), correct: count, incorrect: count, accuracy: shareOrNull })),
    reports: z.object({ correct: count, incorrect: count }),
  })
  .openapi("AccuracyStats", { description: "How often later events confirmed verdicts" })

export function presentAccuracy(accuracy: Accuracy, counts: readonly KindCount[]): z.infer<typeof AccuracyStats> {
  const { samples, correct, incorrect, undecided, byStatus } = accuracy
  const of = sumsOf(counts)
  return {
    samples,
    correct,
    incorrect,
    undecided,
    accuracy: accuracy.accuracy,
    by_status: byStatus.map((one) => ({ ...one })),
    reports: { correct: of("report_correct"), incorrect: of("report_incorrect") },
  }
}

const bounces = { hard_bounce: count, soft_bounce: count, spam_complaint: count }

export const BounceStats = z
  .object({
    total: count.openapi({ description: "The sum of by_type" }),
    by_type: z.object(bounces),
    delivered: count,
    bounce_rate: shareOrNull.openapi({ description: "Hard and soft bounces, divided by these and the deliveries" }),
    last_30_days: z.object({
      ...bounces,
      daily: z.array(z.object({ day: z.string().openapi({ example: "2026-11-21" }), ...bounces })),
    }),
    top_domains: z.array(z.object({ domain: z.string(), hard_bounces: count })),
  })
  .openapi("BounceStats")

export function presentBounces(
  counts: readonly KindCount[],
  daily: readonly DailyKind[],
  domains: readonly DomainKind[],
): z.infer<typeof BounceStats> {
  const of = sumsOf(counts)
  const bounced = of("hard_bounce") + of("soft_bounce")
  const sent = bounced + of("delivered")
  const days = [...Map.groupBy(daily, ({ day }) => day)].map(([day, kinds]) => ({ day, ...typesOf(kinds) }))
  return {
    total: bounced + of("spam_complaint"),
    by_type: typesOf(counts),
    delivered: of("delivered"),
    bounce_rate: sent === 0 ? null : Math.round((bounced / sent) * 10_000) / 10_000,
    last_30_days: { ...typesOf(daily), daily: days },
    top_domains: domains.map(({ domain, count }) => ({ domain, hard_bounces: count })),
  }
}

type Counted = Pick<KindCount, "kind" | "count">

function typesOf(counts: readonly Counted[]) {
  const of = sumsOf(counts)
  return {
    hard_bounce: of("hard_bounce"),
    soft_bounce: of("soft_bounce"),
    spam_complaint: of("spam_complaint"),
  }
}

function sumsOf(counts: readonly Counted[]): (kind: KindCount["kind"]) => number {
  return (kind) => counts.reduce((sum, one) => (one.kind === kind ? sum + one.count : sum), 0)
}

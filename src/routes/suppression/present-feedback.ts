import { z } from "@hono/zod-openapi"
import { STATUSES, VERDICT_OUTCOMES } from "../../../schema/vocabulary.ts"
import type { DailyKind, DomainKind } from "../../adapters/store/suppression/feedback.ts"
import { type KindCount, MIN_DECIDED } from "../../domain/suppression/feedback.ts"
import { iso } from "../../domain/time.ts"
import { arrayOf, component, share } from "../../http/fields.ts"
import type { FoundAccuracy, JudgedVerdict } from "../../services/suppression/feedback.ts"

const count = z.int().min(0)

const judgedCounts = {
  samples: count.openapi({
    description: "Verdicts with a report, each counted once: correct, incorrect and undecided",
  }),
  correct: count,
  incorrect: count,
  undecided: count.openapi({ description: "Verdicts whose reports prove nothing about them, such as a soft bounce" }),
  decided: count.openapi({ description: "The sum of correct and incorrect, from which the accuracy is computed" }),
  accuracy: share.nullable().openapi({
    description: `correct divided by decided; null while fewer than ${MIN_DECIDED} verdicts are decided`,
  }),
}

export const AccuracyStats = component(
  "AccuracyStats",
  "How often later events confirmed verdicts. A verdict has one outcome, by its latest decisive event: an open or a click after a delivery confirms it and does not count again",
  {
    ...judgedCounts,
    min_decided: count.openapi({
      description: "Decided verdicts from which an accuracy is shown",
      example: MIN_DECIDED,
    }),
    by_status: arrayOf({ status: z.enum(STATUSES), ...judgedCounts }),
    reports: z
      .object({ correct: count, incorrect: count })
      .openapi({ description: "Calls of /feedback/report, also several about one verdict" }),
    without_verdict: count.openapi({
      description: "Reports of any kind about an address that was never verified: they had no verdict to judge",
    }),
  },
)

export function presentAccuracy({ accuracy, counts }: FoundAccuracy): z.infer<typeof AccuracyStats> {
  const { byStatus, ...all } = accuracy
  const of = sumsOf(counts)
  return {
    ...all,
    min_decided: MIN_DECIDED,
    by_status: [...byStatus],
    reports: { correct: of("report_correct"), incorrect: of("report_incorrect") },
    without_verdict: counts.reduce((sum, one) => (one.predictedStatus === "" ? sum + one.count : sum), 0),
  }
}

export const Judged = z
  .object({
    status: z.enum(STATUSES),
    verified_at: z.iso.datetime(),
    outcome: z.enum(VERDICT_OUTCOMES).openapi({ description: "What this report says about the verdict" }),
  })
  .nullable()
  .openapi({
    description: "The latest verdict before the report; null if the address was never verified, so that there was none",
  })

export function presentJudged(judged: JudgedVerdict | null | undefined): z.infer<typeof Judged> {
  return judged ? { status: judged.status, verified_at: iso(judged.verifiedAt), outcome: judged.outcome } : null
}

/** A report's message, which says when the report had no verdict to judge. */
export function withJudged(message: string, judged: JudgedVerdict | null | undefined): string {
  return judged ? message : `${message}; the address was never verified, so there was no verdict to judge`
}

const bounces = { hard_bounce: count, soft_bounce: count, spam_complaint: count }

export const BounceStats = component("BounceStats", {
  total: count.openapi({ description: "The sum of by_type" }),
  by_type: z.object(bounces),
  delivered: count,
  bounce_rate: share.nullable().openapi({
    description: "Hard and soft bounces, divided by these and the deliveries; null without any",
  }),
  last_30_days: z.object({
    ...bounces,
    daily: arrayOf({ day: z.string().openapi({ example: "2026-11-21" }), ...bounces }),
  }),
  top_domains: arrayOf({ domain: z.string(), hard_bounces: count }),
})

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

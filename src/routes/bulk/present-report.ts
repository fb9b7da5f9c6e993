import { z } from "@hono/zod-openapi"
import { GRADES, STATUSES } from "../../../schema/vocabulary.ts"
import { type Counts, RISKS } from "../../domain/lists/list-problems.ts"
import type { Report } from "../../domain/lists/report.ts"
import { rounded, share } from "../../http/fields.ts"
import type { Forecast } from "../../services/bulk/forecast.ts"
import { JobProgress, PartialState, presentJob, presentPartial } from "./present-job.ts"

const status = JobProgress.shape.status
const counts = z.object({
  valid: z.int(),
  invalid: z.int(),
  accept_all: z.int(),
  unknown: z.int(),
  invalid_syntax: z.int(),
})

export const ListReport = z
  .object({
    job_id: z.string(),
    status,
    total: z.int(),
    analyzed: z.int().openapi({ description: "Results in this report; all of them when the job is over" }),
    ...PartialState.shape,
    deduplicated: z.int(),
    health: z.object({
      score: z.int().min(0).max(100).openapi({ description: "Average score of the addresses" }),
      grade: z.enum(GRADES).openapi({ description: "The grade of this score, by the bands of single addresses" }),
    }),
    sending_risk: z.object({ level: z.enum(RISKS), reason: z.string() }).openapi({
      description: "Risk for your sender reputation if you send to the whole list, by its expected bounces",
    }),
    composition: z.object({
      statuses: z.array(z.object({ status: z.enum(STATUSES), count: z.int(), share })),
      disposable: z.int(),
      role_accounts: z.int(),
      free_providers: z.int(),
      subaddresses: z.int(),
      sendable: z.int().openapi({
        description: "Addresses whose score allows sending, without your suppressions, bounces and complaints",
      }),
    }),
    score_distribution: z.array(z.object({ from: z.int(), to: z.int(), count: z.int() })),
    average_score: z.number(),
    mail_operators: z.array(z.object({ operator: z.string(), total: z.int(), share, ...counts.shape })),
    top_problems: z.array(z.object({ problem: z.string(), message: z.string(), count: z.int(), share })),
    projected_bounce_rate: z
      .object({
        rate: share,
        low: share,
        high: share,
        confidence: z.literal(0.95),
        decided: z.int(),
        expected: z.int(),
      })
      .openapi({
        description:
          "Share of hard bounces if you send to every well-formed address, with its Wilson score interval. `decided` is the number of addresses with a clear result",
      }),
    recommendations: z.array(
      z.object({
        action: z.string(),
        message: z.string(),
        affected: z.int().openapi({ description: "Addresses that the advice is about" }),
      }),
    ),
  })
  .openapi("ListReport")

export function presentReport(job: Forecast, report: Report): z.infer<typeof ListReport> {
  const { analyzed, traits, bounce } = report
  const of = (count: number) => (analyzed === 0 ? 0 : rounded(count / analyzed))
  const { job_id, status, total, deduplicated } = presentJob(job)
  return {
    ...{ job_id, status, total, analyzed, ...presentPartial(job), deduplicated },
    health: { ...report.health },
    sending_risk: { ...report.sendingRisk },
    composition: {
      statuses: STATUSES.map((status) => ({ status, count: report.counts[status], share: of(report.counts[status]) })),
      disposable: traits.disposable,
      role_accounts: traits.role,
      free_providers: traits.free,
      subaddresses: traits.subaddress,
      sendable: report.sendable,
    },
    score_distribution: report.bands.map((count, band) => ({
      from: band * 10,
      to: band === 9 ? 100 : band * 10 + 9,
      count,
    })),
    average_score: Math.round(report.averageScore * 10) / 10,
    mail_operators: report.operators.map(({ operator, total, counts }) => ({
      operator,
      total,
      share: of(total),
      ...presentCounts(counts),
    })),
    top_problems: report.problems.map(({ problem, message, count }) => ({ problem, message, count, share: of(count) })),
    projected_bounce_rate: {
      ...{ rate: rounded(bounce.rate), low: rounded(bounce.low), high: rounded(bounce.high), confidence: 0.95 },
      ...{ decided: bounce.decided, expected: bounce.expected },
    },
    recommendations: report.recommendations.map(({ action, message, affected }) => ({ action, message, affected })),
  }
}

function presentCounts({ valid, invalid, accept_all, unknown, invalid_syntax }: Counts): z.infer<typeof counts> {
  return { valid, invalid, accept_all, unknown, invalid_syntax }
}

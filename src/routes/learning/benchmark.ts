import { z } from "@hono/zod-openapi"
import { STATUSES, type Status, SUB_STATUSES } from "../../../schema/vocabulary.ts"
import type { BenchmarkReport as Report } from "../../domain/learning/benchmark.ts"
import { iso } from "../../domain/time.ts"
import { type Endpoint, endpointsOf, member } from "../../http/endpoint.ts"
import { arrayOf, component, round, share } from "../../http/fields.ts"
import { type FoundBenchmark, findBenchmark, runBenchmark } from "../../services/learning/benchmark.ts"

const endpoint = endpointsOf("learning")

const ms = () => z.int().min(0).nullable()
const status = () => z.enum(STATUSES)

const Results = z.object({
  correct: z.int(),
  accuracy: share,
  accuracy_low: share.openapi({ description: "95 % interval (Wilson)" }),
  accuracy_high: share,
  decided: share.openapi({ description: "Share of addresses with a status other than unknown" }),
  decided_accuracy: share.nullable().openapi({ description: "Accuracy among those" }),
  per_status: arrayOf({
    status: status(),
    expected: z.int(),
    predicted: z.int(),
    correct: z.int(),
    precision: share.nullable(),
    recall: share.nullable(),
    f1: share.nullable(),
  }),
  confusion_matrix: z
    .partialRecord(status(), z.partialRecord(status(), z.int()))
    .openapi({ description: "Expected status, then the actual one", example: { valid: { valid: 48, unknown: 2 } } }),
  timing: z
    .object({
      total_ms: z.int(),
      cached: z.int().openapi({ description: "Stored results" }),
      conversations: z.int(),
      mean_ms: ms(),
      p50_ms: ms(),
      p95_ms: ms(),
      max_ms: ms(),
    })
    .openapi({ description: "Of the whole run, and of the SMTP sessions" }),
  differences: arrayOf({
    email: z.string(),
    expected_status: status(),
    actual_status: status(),
    sub_status: z.enum(SUB_STATUSES).nullable(),
    score: z.int().min(0).max(100),
    notes: z.string().nullable(),
  }),
})

const BenchmarkReport = component("BenchmarkReport", {
  benchmark_id: z.string(),
  status: z.enum(["running", "complete", "cancelled"]),
  total: z.int(),
  done: z.int(),
  job_id: z.string().nullable().openapi({ description: "The job that verifies a large benchmark" }),
  report: z.union([Results, z.null()]).openapi({ description: "Null until all addresses are verified" }),
  created_at: z.iso.datetime(),
  completed_at: z.iso.datetime().nullable(),
})

function presentBenchmark({ benchmark, state, done }: FoundBenchmark): z.infer<typeof BenchmarkReport> {
  const { benchmarkId, expected, jobId, report, createdAt, completedAt } = benchmark
  return {
    benchmark_id: benchmarkId,
    status: state,
    total: expected.length,
    done,
    job_id: jobId,
    report: report && presentReport(report),
    created_at: iso(createdAt),
    completed_at: iso(completedAt),
  }
}

function presentReport(report: Report): z.infer<typeof Results> {
  const { totalMs, cached, conversations, meanMs, p50Ms, p95Ms, maxMs } = report.timing
  return {
    correct: report.correct,
    accuracy: round(report.accuracy, 4),
    accuracy_low: round(report.interval.low, 4),
    accuracy_high: round(report.interval.high, 4),
    decided: round(report.decided, 4),
    decided_accuracy: round(report.decidedAccuracy, 4),
    per_status: report.byStatus.map((one) => ({
      ...one,
      precision: round(one.precision, 4),
      recall: round(one.recall, 4),
      f1: round(one.f1, 4),
    })),
    confusion_matrix: report.confusion,
    timing: {
      total_ms: Math.round(totalMs),
      cached,
      conversations,
      mean_ms: meanMs === null ? null : Math.round(meanMs),
      p50_ms: p50Ms,
      p95_ms: p95Ms,
      max_ms: maxMs,
    },
    differences: report.differences.map(({ email, expected, actual, subStatus, score, notes }) => ({
      email,
      expected_status: expected,
      actual_status: actual,
      score,
      notes,
      sub_status: subStatus,
    })),
  }
}

const MAX_ADDRESSES = 10_000
const MAX_BODY_BYTES = 8_000_000

/** Status words of the API's other variants. */
const ALIASES = {
  catch_all: "accept_all",
  risky: "accept_all",
  deliverable: "valid",
  undeliverable: "invalid",
} as const satisfies Record<string, Status>
const EXPECTED = [...STATUSES, ...(Object.keys(ALIASES) as (keyof typeof ALIASES)[])] as const

const run = endpoint("key", "POST /benchmark/run", {
  operationId: "runBenchmark",
  summary: "Run a benchmark",
  description:
    "Verifies addresses of known status and compares the results. More than 100 addresses run as a job. Up to 100 addresses are verified without stored results, and each entry is charged. A job uses fresh stored results at no cost; `timing.cached` counts them.",
  json: z.object({
    test_emails: arrayOf({
      email: z.string().max(1_000).openapi({ description: "The address", example: "alice@mailbox.test" }),
      expected_status: z
        .enum(EXPECTED)
        .openapi({ description: "The status that the address should get", example: "valid" }),
      notes: z
        .string()
        .max(500)
        .nullish()
        .openapi({ description: "Why the status is known", example: "our own mailbox" }),
    })
      .min(1)
      .max(MAX_ADDRESSES)
      .openapi({ description: "Addresses and the status of each" }),
  }),
  answer: BenchmarkReport,
  problems: [402],
  body: { maxBytes: MAX_BODY_BYTES },
  costs: true,
  async handle(c) {
    const { test_emails } = c.req.valid("json")
    const expected = test_emails.map(({ email, expected_status: word, notes = null }) => ({
      email,
      status: word in ALIASES ? ALIASES[word as keyof typeof ALIASES] : (word as Status),
      notes,
    }))
    const benchmark = await runBenchmark(c.var.ctx, c.var.meter, { caller: member(c), expected })
    const isOver = benchmark.report !== null
    const state = isOver ? ("complete" as const) : ("running" as const)
    return presentBenchmark({ benchmark, state, done: isOver ? expected.length : 0 })
  },
})

const report = endpoint("key", "GET /benchmark/report/{benchmark_id}", {
  operationId: "benchmarkReport",
  summary: "Get a benchmark",
  description:
    "Returns accuracy, precision and recall by status, and the entries that differ. `report` is null while the job runs.",
  params: z.object({
    benchmark_id: z
      .string()
      .min(1)
      .max(100)
      .openapi({ description: "Id of the benchmark", example: "bench_0123456789abcdef01234567" }),
  }),
  answer: BenchmarkReport,
  problems: [404],
  async handle(c) {
    const { benchmark_id: benchmarkId } = c.req.valid("param")
    const { accountId } = member(c)
    return presentBenchmark(await findBenchmark(c.var.ctx, { benchmarkId, accountId }))
  },
})

export const benchmarkEndpoints: Endpoint[] = [run, report]

import { z } from "@hono/zod-openapi"
import { GRADES, STATUSES } from "../../../schema/vocabulary.ts"
import { DOWNLOAD_FORMATS, type DownloadFormat, TEXT_WRITERS } from "../../domain/lists/download.ts"
import { type Counts, RISKS } from "../../domain/lists/list-problems.ts"
import type { Report } from "../../domain/lists/report.ts"
import { pageOf } from "../../domain/page.ts"
import { nextCursor, verdictStatus } from "../../http/answer-fields.ts"
import { type Endpoint, endpointsOf, member } from "../../http/endpoint.ts"
import { arrayOf, component, flag, rounded, share, wholeNumberOr } from "../../http/fields.ts"
import { byteStream, textStream } from "../../http/streams.ts"
import { type Forecast, forecast, forecastAll } from "../../services/lists/job-progress.ts"
import { reportJob } from "../../services/lists/job-report.ts"
import { downloadJob, findJob } from "../../services/lists/job-results.ts"
import {
  countsShape,
  deduplicated,
  JobId,
  JobProgress,
  jobCursor,
  jobId,
  PartialState,
  presentJob,
  presentPartial,
  readJobCursor,
  resultFilter,
  shownStatus,
  total,
  writeJobCursor,
} from "./present-job.ts"

const endpoint = endpointsOf("bulk")

const _status = JobProgress.shape.status
const counts = z.object(countsShape)
const count = z.int().openapi({ description: "Addresses" })
const part = share.openapi({ description: "Share of the addresses, 0 to 1" })

const ListReport = component("ListReport", {
  job_id: jobId,
  status: shownStatus,
  total,
  analyzed: z.int().openapi({ description: "Results in this report; all of them when the job is over" }),
  ...PartialState.shape,
  deduplicated,
  health: z
    .object({
      score: z.int().min(0).max(100).openapi({ description: "Average score of the addresses" }),
      grade: z.enum(GRADES).openapi({ description: "The grade of this score, by the bands of single addresses" }),
    })
    .openapi({ description: "Quality of the whole list" }),
  sending_risk: z
    .object({
      level: z.enum(RISKS).openapi({ description: "`unknown` without enough results" }),
      reason: z.string().openapi({ description: "The reason in a sentence" }),
    })
    .openapi({
      description: "Risk for your sender reputation if you send to the whole list, by its expected bounces",
    }),
  composition: z
    .object({
      statuses: arrayOf({ status: verdictStatus, count, share: part }).openapi({
        description: "The addresses by status",
      }),
      disposable: z.int().openapi({ description: "Addresses of disposable mail services" }),
      role_accounts: z.int().openapi({ description: "Addresses of roles, such as info" }),
      free_providers: z.int().openapi({ description: "Addresses of free mail providers" }),
      subaddresses: z.int().openapi({ description: "Addresses with a tag, such as +news" }),
      sendable: z.int().openapi({
        description: "Addresses whose score allows sending, without your suppressions, bounces and complaints",
      }),
    })
    .openapi({ description: "What the list consists of" }),
  score_distribution: arrayOf({
    from: z.int().openapi({ description: "Lowest score of the band, 0 to 100" }),
    to: z.int().openapi({ description: "Highest score of the band, 0 to 100" }),
    count,
  }).openapi({ description: "The addresses by bands of the score" }),
  average_score: z.number().openapi({ description: "Average score of the addresses, 0 to 100" }),
  mail_operators: arrayOf({
    operator: z.string().openapi({ description: "The mail operator", example: "Google Workspace" }),
    total: count,
    share: part,
    ...countsShape,
  }).openapi({ description: "The addresses by mail operator" }),
  top_problems: arrayOf({
    problem: z.string().openapi({ description: "The problem in a word, for programs" }),
    message: z.string().openapi({ description: "The problem in a sentence" }),
    count,
    share: part,
  }).openapi({ description: "The most frequent problems" }),
  projected_bounce_rate: z
    .object({
      rate: share.openapi({ description: "Expected share, 0 to 1" }),
      low: share.openapi({ description: "Lower end of the interval, 0 to 1" }),
      high: share.openapi({ description: "Upper end of the interval, 0 to 1" }),
      confidence: z.literal(0.95).openapi({ description: "Confidence of the interval: 95 %" }),
      decided: z.int().openapi({ description: "Addresses with a clear result" }),
      expected: z.int().openapi({ description: "Expected hard bounces" }),
    })
    .openapi({
      description:
        "Share of hard bounces if you send to every well-formed address, with its Wilson score interval. `decided` is the number of addresses with a clear result",
    }),
  recommendations: arrayOf({
    action: z.string().openapi({ description: "What to do in a word, for programs" }),
    message: z.string().openapi({ description: "What to do in a sentence" }),
    affected: z.int().openapi({ description: "Addresses that the advice is about" }),
  }).openapi({ description: "What to do with the list" }),
})

function presentReport(job: Forecast, report: Report): z.infer<typeof ListReport> {
  const { analyzed, traits, bounce } = report
  const of = (count: number) => (analyzed === 0 ? 0 : rounded(count / analyzed))
  const { job_id, status, total, deduplicated } = presentJob(job)
  return {
    job_id,
    status,
    total,
    analyzed,
    ...presentPartial(job),
    deduplicated,
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
      rate: rounded(bounce.rate),
      low: rounded(bounce.low),
      high: rounded(bounce.high),
      confidence: 0.95,
      decided: bounce.decided,
      expected: bounce.expected,
    },
    recommendations: report.recommendations.map(({ action, message, affected }) => ({ action, message, affected })),
  }
}

function presentCounts({ valid, invalid, accept_all, unknown, invalid_syntax }: Counts): z.infer<typeof counts> {
  return { valid, invalid, accept_all, unknown, invalid_syntax }
}

const getStatus = endpoint("key", "GET /bulk/status/{job_id}", {
  operationId: "bulkStatus",
  summary: "Get a job's progress",
  description: "Returns the progress without results. Poll it every 5 to 10 seconds, or use a webhook.",
  params: JobId,
  answer: JobProgress,
  problems: [404],
  async handle(c) {
    const job = await findJob(c.var.ctx, { jobId: c.req.valid("param").job_id, accountId: member(c).accountId })
    return presentJob(await forecast(c.var.ctx, job))
  },
})

const list = endpoint("key", "GET /bulk/jobs", {
  operationId: "listJobs",
  summary: "List the jobs",
  description:
    "Returns the account's jobs, newest first, with their progress and credits. `name` finds a part of the file's name.",
  query: z.object({
    limit: wholeNumberOr(20, { min: 1, max: 100, description: "Jobs per page" }),
    cursor: jobCursor,
    name: z.string().min(1).max(100).optional().openapi({
      description: "Only jobs whose file name contains this text, in any letter case",
      example: "customers",
    }),
  }),
  answer: z.object({
    jobs: z.array(JobProgress).openapi({ description: "A page of your jobs, the newest first" }),
    next_cursor: nextCursor,
  }),
  async handle(c) {
    const { limit, cursor, name } = c.req.valid("query")
    const selection = { limit: limit + 1, before: readJobCursor(cursor), name }
    const { page, last } = pageOf(await c.var.ctx.store.jobs.list(member(c).accountId, selection), limit)
    const jobs = await forecastAll(c.var.ctx, page)
    return { jobs: jobs.map(presentJob), next_cursor: writeJobCursor(last) }
  },
})

const report = endpoint("key", "GET /bulk/{job_id}/report", {
  operationId: "bulkReport",
  summary: "Get a list's report",
  description:
    "Sums up a list: statuses, risks, mail operators, expected bounces and recommendations. It works while the job runs and then says what is missing.",
  params: JobId,
  answer: ListReport,
  problems: [404],
  async handle(c) {
    const { ctx } = c.var
    await c.var.meter.authorize()
    const job = await findJob(ctx, { jobId: c.req.valid("param").job_id, accountId: member(c).accountId })
    return presentReport(await forecast(ctx, job), await reportJob(ctx, job))
  },
})

const MEDIA_TYPES: Readonly<Record<DownloadFormat, string>> = {
  csv: "text/csv",
  json: "application/json",
  ndjson: "application/x-ndjson",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
const DownloadRow = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).openapi({
  description: "A field for each column: of the uploaded file as text, of the result with its type",
  example: { name: "Alice", email: "alice@mailbox.test", status: "valid", score: 90, can_send: true },
})
const TEXT = { schema: { type: "string" } } as const
const DOWNLOAD_CONTENT = {
  [MEDIA_TYPES.csv]: TEXT,
  [MEDIA_TYPES.json]: { schema: z.array(DownloadRow) },
  [MEDIA_TYPES.ndjson]: TEXT,
  [MEDIA_TYPES.xlsx]: { schema: { type: "string", format: "binary" } as const },
}
const PARTIAL_HEADERS = {
  "x-mailverdict-partial": {
    schema: { type: "boolean" },
    description: "Results may still follow: the job is not over",
  },
  "x-mailverdict-pending": {
    schema: { type: "integer" },
    description: "Addresses whose result still follows",
  },
  "x-mailverdict-next-attempt-at": {
    schema: { type: "string", format: "date-time" },
    description: "When the next planned retry is due; absent without one",
  },
} as const

const download = endpoint("key", "GET /bulk/download/{job_id}", {
  operationId: "downloadResults",
  summary: "Download the results",
  description:
    "Returns the results as CSV, JSON, NDJSON or Excel, next to the columns of the uploaded file. `filter` selects results, such as `can_send`. It works while the job runs and marks open rows as `pending`.",
  params: JobId,
  query: z.object({
    filter: resultFilter,
    unique: flag(false, "Only the first row of each address. Letter case does not distinguish addresses"),
    format: z.enum(DOWNLOAD_FORMATS).default("csv").openapi({
      description: "`csv` has the delimiter and the byte order mark of the uploaded file, or a comma and no mark",
    }),
  }),
  problems: [404],
  responses: {
    200: {
      description: "The results. While the job runs, rows without a result have the status `pending`",
      headers: PARTIAL_HEADERS,
      content: DOWNLOAD_CONTENT,
    },
  },
  async handle(c) {
    const { ctx } = c.var
    const { filter, unique: isUnique, format } = c.req.valid("query")
    await c.var.meter.authorize()
    const job = await findJob(ctx, { jobId: c.req.valid("param").job_id, accountId: member(c).accountId })
    const { partial, pending, next_attempt_at } = presentPartial(await forecast(ctx, job))
    const table = await downloadJob(ctx, job, { filter, isUnique })
    const body =
      format === "xlsx" ? byteStream(ctx.tables.writeWorkbook(table)) : textStream(TEXT_WRITERS[format](table))
    return c.body(body, 200, {
      "content-type": `${MEDIA_TYPES[format]}${format === "csv" ? "; charset=utf-8" : ""}`,
      "content-disposition": `attachment; filename="${job.jobId}-${filter}${partial ? "-partial" : ""}.${format}"`,
      "x-mailverdict-partial": String(partial),
      "x-mailverdict-pending": String(pending),
      ...(next_attempt_at === null ? {} : { "x-mailverdict-next-attempt-at": next_attempt_at }),
    })
  },
})

export const resultEndpoints: Endpoint[] = [getStatus, list, report, download]

import { createRoute, z } from "@hono/zod-openapi"
import { DOWNLOAD_FORMATS, type DownloadFormat, TEXT_WRITERS } from "../../domain/lists/download.ts"
import { pageOf } from "../../domain/page.ts"
import { type Endpoint, endpoint } from "../../http/endpoint.ts"
import { flag, wholeNumberOr } from "../../http/fields.ts"
import { member } from "../../http/member.ts"
import { ok, problem } from "../../http/responses.ts"
import { byteStream, textStream } from "../../http/streams.ts"
import { downloadJob } from "../../services/bulk/download-job.ts"
import { findJob } from "../../services/bulk/find-job.ts"
import { forecast, forecastAll } from "../../services/bulk/forecast.ts"
import { reportJob } from "../../services/bulk/report-job.ts"
import {
  JobId,
  JobProgress,
  jobCursor,
  presentJob,
  presentPartial,
  readJobCursor,
  resultFilter,
  writeJobCursor,
} from "./present-job.ts"
import { ListReport, presentReport } from "./present-report.ts"

const status = endpoint(
  "key",
  createRoute({
    method: "get",
    path: "/bulk/status/{job_id}",
    operationId: "bulkStatus",
    tags: ["bulk"],
    summary: "Get a job's progress",
    description: "Returns the progress without results. Poll it every 5 to 10 seconds, or use a webhook.",
    request: { params: JobId },
    responses: { 200: ok(JobProgress), ...problem(404) },
  }),
  async (c) => {
    const { ctx } = c.var
    const job = await findJob(ctx, { jobId: c.req.valid("param").job_id, accountId: member(c).accountId })
    return c.json(presentJob(await forecast(ctx, job)), 200)
  },
)

const list = endpoint(
  "key",
  createRoute({
    method: "get",
    path: "/bulk/jobs",
    operationId: "listJobs",
    tags: ["bulk"],
    summary: "List the jobs",
    description:
      "Returns the account's jobs, newest first, with their progress and credits. `name` finds a part of the file's name.",
    request: {
      query: z.object({
        limit: wholeNumberOr(20, { min: 1, max: 100, description: "Jobs per page" }),
        cursor: jobCursor,
        name: z.string().min(1).max(100).optional().openapi({
          description: "Only jobs whose file name contains this text, in any letter case",
          example: "customers",
        }),
      }),
    },
    responses: { 200: ok(z.object({ jobs: z.array(JobProgress), next_cursor: z.string().nullable() })) },
  }),
  async (c) => {
    const { limit, cursor, name } = c.req.valid("query")
    const ask = { limit: limit + 1, before: readJobCursor(cursor), name }
    const { page, last } = pageOf(await c.var.ctx.store.jobs.list(member(c).accountId, ask), limit)
    const jobs = await forecastAll(c.var.ctx, page)
    return c.json({ jobs: jobs.map(presentJob), next_cursor: writeJobCursor(last) }, 200)
  },
)

const report = endpoint(
  "key",
  createRoute({
    method: "get",
    path: "/bulk/{job_id}/report",
    operationId: "bulkReport",
    tags: ["bulk"],
    summary: "Get a list's report",
    description:
      "Sums up a list: statuses, risks, mail operators, expected bounces and recommendations. It works while the job runs and then says what is missing.",
    request: { params: JobId },
    responses: { 200: ok(ListReport), ...problem(404) },
  }),
  async (c) => {
    const { ctx } = c.var
    await c.var.meter.authorize()
    const job = await findJob(ctx, { jobId: c.req.valid("param").job_id, accountId: member(c).accountId })
    return c.json(presentReport(await forecast(ctx, job), await reportJob(ctx, job)), 200)
  },
)

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

const download = endpoint(
  "key",
  createRoute({
    method: "get",
    path: "/bulk/download/{job_id}",
    operationId: "downloadResults",
    tags: ["bulk"],
    summary: "Download the results",
    description:
      "Returns the results as CSV, JSON, NDJSON or Excel, next to the columns of the uploaded file. `filter` selects results, such as `can_send`. It works while the job runs and marks open rows as `pending`.",
    request: {
      params: JobId,
      query: z.object({
        filter: resultFilter,
        unique: flag(false, "Only the first row of each address. Letter case does not distinguish addresses"),
        format: z.enum(DOWNLOAD_FORMATS).default("csv").openapi({
          description: "`csv` has the delimiter and the byte order mark of the uploaded file, or a comma and no mark",
        }),
      }),
    },
    responses: {
      200: {
        description: "The results. While the job runs, rows without a result have the status `pending`",
        headers: PARTIAL_HEADERS,
        content: DOWNLOAD_CONTENT,
      },
      ...problem(404),
    },
  }),
  async (c) => {
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
    }) as never
  },
)

export const resultEndpoints: Endpoint[] = [status, list, report, download]

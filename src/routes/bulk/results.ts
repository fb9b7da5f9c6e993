import { createRoute, z } from "@hono/zod-openapi"
import { DOWNLOAD_FILTERS } from "../../domain/bulk/download.ts"
import { pageOf } from "../../domain/page.ts"
import { AppError } from "../../errors.ts"
import { type Endpoint, endpoint } from "../../http/endpoint.ts"
import { wholeNumberOr } from "../../http/fields.ts"
import { member } from "../../http/member.ts"
import { DOWNLOAD_COLUMNS } from "../../http/present/download.ts"
import { JobId, JobProgress, presentJob } from "../../http/present/job.ts"
import { ListReport, presentReport } from "../../http/present/report.ts"
import { ok, problem } from "../../http/responses.ts"
import { textStream } from "../../http/streams.ts"
import { downloadJob } from "../../services/bulk/download-job.ts"
import { findJob, isOver } from "../../services/bulk/find-job.ts"
import { reportJob } from "../../services/bulk/report-job.ts"

const status = endpoint(
  "key",
  createRoute({
    method: "get",
    path: "/bulk/status/{job_id}",
    operationId: "bulkStatus",
    tags: ["bulk"],
    summary: "How far a job is",
    request: { params: JobId },
    responses: { 200: ok(JobProgress), ...problem(404) },
  }),
  async (c) => {
    const job = await findJob(c.var.deps, { jobId: c.req.valid("param").job_id, accountId: member(c).accountId })
    return c.json(presentJob(job), 200)
  },
)

const list = endpoint(
  "key",
  createRoute({
    method: "get",
    path: "/bulk/jobs",
    operationId: "listJobs",
    tags: ["bulk"],
    summary: "The account's jobs, newest first",
    request: {
      query: z.object({
        limit: wholeNumberOr(20, { min: 1, max: 100, description: "Jobs a page" }),
        cursor: z
          .string()
          .regex(/^\d{1,15}\.job_[0-9a-f]{24}$/)
          .optional()
          .openapi({ description: "next_cursor of the page before" }),
      }),
    },
    responses: { 200: ok(z.object({ jobs: z.array(JobProgress), next_cursor: z.string().nullable() })) },
  }),
  async (c) => {
    const { limit, cursor } = c.req.valid("query")
    const [createdAt, jobId] = cursor?.split(".") ?? []
    const before = jobId === undefined ? null : { createdAt: Number(createdAt), jobId }
    const { page, last } = pageOf(await c.var.deps.jobs.list(member(c).accountId, { limit: limit + 1, before }), limit)
    const next = last && `${last.createdAt}.${last.jobId}`
    return c.json({ jobs: page.map(presentJob), next_cursor: next }, 200)
  },
)

const report = endpoint(
  "key",
  createRoute({
    method: "get",
    path: "/bulk/{job_id}/report",
    operationId: "bulkReport",
    tags: ["bulk"],
    summary: "What a list is worth: health, composition, problems, bounces to expect, and what to do",
    request: { params: JobId },
    responses: { 200: ok(ListReport), ...problem(404) },
  }),
  async (c) => {
    const { deps } = c.var
    await deps.meter.admit()
    const job = await findJob(deps, { jobId: c.req.valid("param").job_id, accountId: member(c).accountId })
    return c.json(presentReport(job, await reportJob(deps, job)), 200)
  },
)

const download = endpoint(
  "key",
  createRoute({
    method: "get",
    path: "/bulk/download/{job_id}",
    operationId: "downloadResults",
    tags: ["bulk"],
    summary: "A job's results as CSV, beside the columns of the file it came from",
    request: { params: JobId, query: z.object({ filter: z.enum(DOWNLOAD_FILTERS).default("all") }) },
    responses: {
      200: { description: "The results", content: { "text/csv": { schema: { type: "string" } } } },
      ...problem(404, 409),
    },
  }),
  async (c) => {
    const { deps } = c.var
    const { filter } = c.req.valid("query")
    await deps.meter.admit()
    const job = await findJob(deps, { jobId: c.req.valid("param").job_id, accountId: member(c).accountId })
    if (!isOver(job)) throw new AppError("conflict", "the job is not over yet; see /bulk/status/{job_id}")
    return c.body(textStream(downloadJob(deps, job, { filter, columns: DOWNLOAD_COLUMNS })), 200, {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${job.jobId}-${filter}.csv"`,
    }) as never
  },
)

export const resultEndpoints: Endpoint[] = [status, list, report, download]

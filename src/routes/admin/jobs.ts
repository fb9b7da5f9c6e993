import { z } from "@hono/zod-openapi"
import { pageOf } from "../../domain/page.ts"
import { type Endpoint, endpointsOf } from "../../http/endpoint.ts"
import { flag, textCursor, wholeNumberOr } from "../../http/fields.ts"
import { type Forecast, forecast, forecastAll } from "../../services/lists/job-progress.ts"
import { findOperatorJob, jobPage } from "../../services/lists/job-results.ts"
import {
  JobAnswer,
  JobId,
  JobProgress,
  jobCursor,
  presentItem,
  presentJob,
  readJobCursor,
  writeJobCursor,
} from "../lists/present-job.ts"

const endpoint = endpointsOf("admin")

const OperatorJob = JobProgress.extend({
  account_id: z.string().nullable().openapi({
    description: "Null for the operator's own job",
    example: "acc_0123456789abcdef01234567",
  }),
  kind: z.enum(["async", "upload", "retry", "reverify"]).openapi({ description: "How the job was started" }),
}).openapi("OperatorJob")

const list = endpoint("admin", "GET /admin/jobs", {
  operationId: "listAllJobs",
  summary: "List all jobs",
  description:
    "Returns the jobs of all accounts and of the operator, newest first, without their addresses. `open` selects those that still run.",
  query: z.object({
    limit: wholeNumberOr(20, { min: 1, max: 100, description: "Jobs per page" }),
    account_id: z
      .string()
      .max(64)
      .optional()
      .openapi({ description: "Only jobs of this account", example: "acc_0123456789abcdef01234567" }),
    open: flag(false, "Only jobs that are not over"),
    cursor: jobCursor,
  }),
  answer: z.object({ jobs: z.array(OperatorJob), next_cursor: z.string().nullable() }),
  async handle(c) {
    const { limit, account_id: accountId, open: onlyOpen, cursor } = c.req.valid("query")
    const selection = { limit: limit + 1, before: readJobCursor(cursor), accountId, onlyOpen }
    const { page, last } = pageOf(await c.var.ctx.store.jobs.listAll(selection), limit)
    const jobs = await forecastAll(c.var.ctx, page)
    return { jobs: jobs.map(presentOperatorJob), next_cursor: writeJobCursor(last) }
  },
})

function presentOperatorJob(job: Forecast): z.infer<typeof OperatorJob> {
  const kind = job.kind === "turbo" ? "async" : job.kind
  return { ...presentJob(job), account_id: job.accountId, kind }
}

const job = endpoint("admin", "GET /admin/jobs/{job_id}", {
  operationId: "getOperatorJob",
  summary: "Get an operator's job",
  description:
    "Returns the progress of a job of `POST /admin/reverify`, and its finished results in pages. Accounts' jobs are 404 here. The job is deleted after the retention period.",
  params: JobId,
  query: z.object({
    limit: wholeNumberOr(100, { min: 1, max: 1_000, description: "Results per page" }),
    cursor: textCursor(/^\d{1,9}$/),
  }),
  answer: JobAnswer,
  problems: [404],
  async handle(c) {
    const { ctx } = c.var
    const found = await forecast(ctx, await findOperatorJob(ctx, c.req.valid("param").job_id))
    const { limit, cursor } = c.req.valid("query")
    const { items, nextCursor } = await jobPage(ctx, found, { limit, cursor })
    return { ...presentJob(found), results: items.map(presentItem), next_cursor: nextCursor }
  },
})

export const operatorJobEndpoints: Endpoint[] = [list, job]

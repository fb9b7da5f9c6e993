import { createRoute, z } from "@hono/zod-openapi"
import { type Endpoint, endpoint } from "../../http/endpoint.ts"
import { wholeNumberOr } from "../../http/fields.ts"
import { ok, problem } from "../../http/responses.ts"
import { findOperatorJob, jobPage } from "../../services/bulk/find-job.ts"
import { forecast } from "../../services/bulk/forecast.ts"
import { JobAnswer, JobId, presentItem, presentJob } from "../bulk/present-job.ts"

const job = endpoint(
  "admin",
  createRoute({
    method: "get",
    path: "/admin/jobs/{job_id}",
    operationId: "getOperatorJob",
    tags: ["admin"],
    summary: "Progress of a job of POST /admin/reverify, and its finished results page by page",
    description: "Accounts' jobs are 404 here. The job is deleted after the retention period.",
    request: {
      params: JobId,
      query: z.object({
        limit: wholeNumberOr(100, { min: 1, max: 1_000, description: "Results per page" }),
        cursor: z
          .string()
          .regex(/^\d{1,9}$/)
          .optional()
          .openapi({ description: "next_cursor of the previous page" }),
      }),
    },
    responses: { 200: ok(JobAnswer), ...problem(404) },
  }),
  async (c) => {
    const { ctx } = c.var
    const found = await forecast(ctx, await findOperatorJob(ctx, c.req.valid("param").job_id))
    const { limit, cursor } = c.req.valid("query")
    const { items, nextCursor } = await jobPage(ctx, found, { limit, cursor })
    return c.json({ ...presentJob(found), results: items.map(presentItem), next_cursor: nextCursor }, 200)
  },
)

export const operatorJobEndpoints: Endpoint[] = [job]

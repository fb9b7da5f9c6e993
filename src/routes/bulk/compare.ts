import { createRoute, z } from "@hono/zod-openapi"
import { STATUSES } from "../../../schema/vocabulary.ts"
import type { StatusChange } from "../../adapters/store/lists/job-results.ts"
import { type Endpoint, endpoint } from "../../http/endpoint.ts"
import { member } from "../../http/member.ts"
import { ok, problem } from "../../http/responses.ts"
import { type Comparison, compareJobs } from "../../services/bulk/compare-jobs.ts"
import { findJob } from "../../services/bulk/find-job.ts"
import { JobId } from "./present-job.ts"

const status = z.enum(STATUSES).nullable()
const before = status.openapi({ description: "In the earlier list; null when it is not there or has no result" })

const ListComparison = z
  .object({
    job_id: z.string(),
    with: z.string(),
    same: z.int().openapi({ description: "Mailboxes with the same status in both lists" }),
    changed: z.int().openapi({ description: "Mailboxes of both lists with another status" }),
    added: z.int().openapi({ description: "Mailboxes that only this list has" }),
    gone: z.int().openapi({ description: "Mailboxes that only the earlier list has" }),
    changes: z.array(z.object({ before: status, now: status, count: z.int() })).openapi({
      description: "Mailboxes of both lists by their status then and now, the most frequent first",
    }),
    examples: z
      .array(
        z.object({
          email: z.string(),
          before,
          now: status,
          is_new: z.boolean().openapi({ description: "The earlier list does not have it" }),
        }),
      )
      .openapi({ description: "The first 200 that changed or were added, in the order of the list" }),
  })
  .openapi("ListComparison")

const compare = endpoint(
  "key",
  createRoute({
    method: "get",
    path: "/bulk/{job_id}/compare",
    operationId: "compareLists",
    tags: ["bulk"],
    summary: "Compare two lists",
    description:
      "Returns what changed since an earlier list: mailboxes that are new, gone, the same or changed. Duplicates count once. A result that still follows is null.",
    request: {
      params: JobId,
      query: z.object({
        with: z
          .string()
          .max(64)
          .openapi({ description: "job_id of the earlier list", example: "job_0123456789abcdef01234567" }),
      }),
    },
    responses: { 200: ok(ListComparison), ...problem(404) },
  }),
  async (c) => {
    const { ctx, meter } = c.var
    await meter.authorize()
    const { accountId } = member(c)
    const [newer, earlier] = await Promise.all([
      findJob(ctx, { jobId: c.req.valid("param").job_id, accountId }),
      findJob(ctx, { jobId: c.req.valid("query").with, accountId }),
    ])
    const ids = { job_id: newer.jobId, with: earlier.jobId }
    return c.json({ ...ids, ...present(await compareJobs(ctx, newer, earlier)) }, 200)
  },
)

function present({ changes, gone, changed }: Comparison): Omit<z.infer<typeof ListComparison>, "job_id" | "with"> {
  const inBoth = changes.filter(({ isInOther }) => isInOther)
  const isSame = (one: StatusChange) => one.status === one.other
  const total = (some: readonly StatusChange[]) => some.reduce((sum, { count }) => sum + count, 0)
  const same = total(inBoth.filter(isSame))
  return {
    same,
    changed: total(inBoth) - same,
    added: total(changes) - total(inBoth),
    gone,
    changes: inBoth
      .map(({ status, other, count }) => ({ before: other, now: status, count }))
      .toSorted((a, b) => b.count - a.count),
    examples: changed.map(({ email, status, other, isInOther }) => ({
      ...{ email, before: other, now: status, is_new: !isInOther },
    })),
  }
}

export const compareEndpoints: Endpoint[] = [compare]

import { z } from "@hono/zod-openapi"
import { STATUSES } from "../../../schema/vocabulary.ts"
import type { StatusChange } from "../../adapters/store/lists/job-results.ts"
import { shownAddress } from "../../http/answer-fields.ts"
import { type Endpoint, endpointsOf, member } from "../../http/endpoint.ts"
import { arrayOf, component, repairedCount } from "../../http/fields.ts"
import { groupMailboxes } from "../../services/lists/inspect-list.ts"
import { type Comparison, compareJobs } from "../../services/lists/job-report.ts"
import { findJob } from "../../services/lists/job-results.ts"
import { JobId } from "./present-job.ts"

const endpoint = endpointsOf("bulk")

const status = z.enum(STATUSES).nullable().openapi({ description: "In this list; null when it has no result" })
const before = status.openapi({ description: "In the earlier list; null when it is not there or has no result" })

const ListComparison = component("ListComparison", {
  job_id: z.string().openapi({ description: "Id of this list's job" }),
  with: z.string().openapi({ description: "Id of the earlier list's job" }),
  same: z.int().openapi({ description: "Mailboxes with the same status in both lists" }),
  changed: z.int().openapi({ description: "Mailboxes of both lists with another status" }),
  added: z.int().openapi({ description: "Mailboxes that only this list has" }),
  gone: z.int().openapi({ description: "Mailboxes that only the earlier list has" }),
  changes: arrayOf({ before, now: status, count: z.int().openapi({ description: "Mailboxes" }) }).openapi({
    description: "Mailboxes of both lists by their status then and now, the most frequent first",
  }),
  examples: arrayOf({
    email: shownAddress,
    before,
    now: status,
    is_new: z.boolean().openapi({ description: "The earlier list does not have it" }),
  }).openapi({ description: "The first 200 that changed or were added, in the order of the list" }),
})

const compare = endpoint("key", "GET /bulk/{job_id}/compare", {
  operationId: "compareLists",
  summary: "Compare two lists",
  description:
    "Returns what changed since an earlier list: mailboxes that are new, gone, the same or changed. Duplicates count once. A result that still follows is null.",
  params: JobId,
  query: z.object({
    with: z
      .string()
      .max(64)
      .openapi({ description: "job_id of the earlier list", example: "job_0123456789abcdef01234567" }),
  }),
  answer: ListComparison,
  problems: [404],
  async handle(c) {
    const { ctx, meter } = c.var
    await meter.authorize()
    const { accountId } = member(c)
    const [newer, earlier] = await Promise.all([
      findJob(ctx, { jobId: c.req.valid("param").job_id, accountId }),
      findJob(ctx, { jobId: c.req.valid("query").with, accountId }),
    ])
    const ids = { job_id: newer.jobId, with: earlier.jobId }
    return { ...ids, ...present(await compareJobs(ctx, newer, earlier)) }
  },
})

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
      email,
      before: other,
      now: status,
      is_new: !isInOther,
    })),
  }
}

export const compareEndpoints: Endpoint[] = [compare]

const MAX_DEDUP = 100_000
const emails = z.array(z.string().max(1_000)).min(1).max(MAX_DEDUP).openapi({ description: "The addresses" })
const dedup = endpoint("key-optional", "POST /utils/dedup", {
  operationId: "dedup",
  summary: "Remove duplicates",
  description:
    "Keeps one address for each mailbox. It ignores case, tags and dots where the provider does. Costs no credit and stores nothing.",
  json: z
    .union([emails, z.object({ emails })])
    .openapi({ example: { emails: ["Alice.B+news@gmail.com", "aliceb@gmail.com"] } }),
  answer: component("Dedup", {
    original: z.int().openapi({ description: "Addresses given" }),
    unique: z.int().openapi({ description: "Addresses that are left" }),
    removed: z.int().openapi({ description: "Duplicates" }),
    repaired: repairedCount(),
    emails: z.array(z.string()).openapi({ description: "The first of each mailbox, in the order given" }),
    groups: arrayOf({
      canonical: z.string().openapi({ description: "The mailbox's own form, without tags" }),
      kept: z.string().openapi({ description: "The address that is left" }),
      emails: z.array(z.string()).openapi({ description: "All addresses of the mailbox, as given" }),
    }).openapi({
      description: "Mailboxes with more than one address in the list",
    }),
  }),
  body: { maxBytes: 5_000_000 },
  async handle(c) {
    await c.var.meter.authorize()
    const body = c.req.valid("json")
    const given = Array.isArray(body) ? body : body.emails
    const { groups, repaired } = await groupMailboxes(c.var.ctx, { caller: c.var.caller, emails: given })
    return {
      original: given.length,
      unique: groups.length,
      removed: given.length - groups.length,
      repaired,
      emails: groups.map(({ representative }) => representative),
      groups: groups
        .filter(({ members }) => members.length > 1)
        .map(({ canonical, representative, members }) => ({ canonical, kept: representative, emails: [...members] })),
    }
  },
})

export const dedupEndpoints: Endpoint[] = [dedup]

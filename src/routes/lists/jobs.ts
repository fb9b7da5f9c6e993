import { z } from "@hono/zod-openapi"
import { createContentHash } from "../../adapters/platform.ts"
import { FINISH_WITHIN, isOver, shownStatusOf } from "../../domain/lists/job.ts"
import { bodyTooLarge } from "../../errors.ts"
import { isStillAuthorized } from "../../http/access.ts"
import { type Endpoint, endpointsOf, member, type OperationTexts } from "../../http/endpoint.ts"
import { invalidFields } from "../../http/errors.ts"
import { orElse, textCursor, wholeNumber } from "../../http/fields.ts"
import { webhookUrl } from "../../http/input-fields.ts"
import { bodyPieces } from "../../http/request-body.ts"
import { jsonWithResults, serverSentEvent, textStream } from "../../http/streams.ts"
import { cancelJob } from "../../services/lists/end-job.ts"
import { forecast, watchJob } from "../../services/lists/job-progress.ts"
import { findJob, jobItems, jobPage } from "../../services/lists/job-results.ts"
import { retryJob, submitJob } from "../../services/lists/submit-job.ts"
import { readWebhookUrl } from "../../services/webhooks/publish-event.ts"
import {
  DeadLetters,
  JobAnswer,
  JobId,
  JobProgress,
  presentDeadLetter,
  presentItem,
  presentJob,
  presentProjection,
  presentSubmitted,
  RetryJob,
  resultFilter,
  SampleProjection,
  SubmittedJob,
} from "./present-job.ts"

const endpoint = endpointsOf("bulk")

/** The platform's limit for a request body; about three million addresses. */
const MAX_BODY_BYTES = 100_000_000

const ListOptions = z.object({
  smtp: orElse(z.boolean(), true).openapi({ description: "Probe the mail servers for the mailboxes" }),
  deduplicate: orElse(z.boolean(), true).openapi({ description: "Remove duplicates from the list" }),
  webhook_url: webhookUrl().nullish(),
  finish_within: z.int().min(FINISH_WITHIN.min).max(FINISH_WITHIN.max).nullish().openapi({
    description:
      "Seconds from submission until the job ends at the latest. Addresses still pending become unknown, free of charge",
  }),
  sample: orElse(z.boolean(), false).openapi({
    description: "Verify only a small sample and project it to the whole list; creates no job",
  }),
})

const submit = endpoint("key", "POST /validate/bulk/async", {
  operationId: "validateAsync",
  summary: "Verify a list",
  description:
    "Starts a job for a list of any length and returns its `job_id`. Costs one credit for each new result; stored, `unknown`, duplicate and malformed ones are free. `sample` verifies a part and projects the rest. Follow it by polling, events or a webhook.",
  json: ListOptions.extend({
    emails: z
      .array(z.string())
      .min(1)
      .openapi({ description: "The addresses", example: ["alice@mailbox.test", "nobody@mailbox.test"] }),
  }),
  answer: z.union([SubmittedJob, SampleProjection]),
  body: {
    maxBytes: MAX_BODY_BYTES,
    isStreamed: true,
    async contentOf(c) {
      const content = await createContentHash()
      let bytes = 0
      for await (const piece of content.following(bodyPieces(c))) {
        bytes += piece.length
        if (bytes > MAX_BODY_BYTES) throw bodyTooLarge(MAX_BODY_BYTES)
      }
      return content.digest()
    },
  },
  costs: true,
  async handle(c) {
    const { claimContent } = c.var
    const content = claimContent ? await createContentHash() : null
    let first = null as Response | null
    const submission = await submitJob(c.var.ctx, c.var.meter, {
      caller: member(c),
      body: content?.following(bodyPieces(c)) ?? bodyPieces(c),
      maxBytes: MAX_BODY_BYTES,
      async claim() {
        if (claimContent && content) first = await claimContent(content.digest())
        return first ? null : c.var.meter
      },
      async readOptions(fields) {
        const parsed = ListOptions.safeParse(fields)
        if (!parsed.success) throw invalidFields(parsed.error, "body")
        const { webhook_url, finish_within: finishWithin = null, ...options } = parsed.data
        return { ...options, finishWithin, webhookUrl: (await readWebhookUrl(c.var.ctx, webhook_url ?? "")) || null }
      },
    })
    if (submission.kind === "answered") return first!
    if (submission.kind === "job") return presentSubmitted(submission)
    return presentProjection(submission.projection)
  },
})

const Page = z.object({
  limit: wholeNumber({
    min: 1,
    max: 1_000,
    description: "Results per page. Left out: all of them, when the job is over",
  }).optional(),
  cursor: textCursor(/^\d{1,9}$/),
})

const get = endpoint("key", "GET /jobs/{job_id}", {
  operationId: "getJob",
  summary: "Get a job and its results",
  description:
    "Returns the progress and, with `limit` and `cursor`, finished results in pages while the job runs. While `partial` is true, a page may have gaps: read it again at the end.",
  params: JobId,
  query: Page.extend({ filter: resultFilter }),
  answer: JobAnswer,
  problems: [404],
  async handle(c) {
    const { ctx } = c.var
    const { limit, cursor, filter } = c.req.valid("query")
    const { accountId } = member(c)
    const job = await forecast(ctx, await findJob(ctx, { jobId: c.req.valid("param").job_id, accountId }))
    if (limit !== undefined || cursor !== undefined) {
      const { items, nextCursor } = await jobPage(ctx, job, { cursor, filter, limit: limit ?? 1_000 })
      return { ...presentJob(job), results: items.map(presentItem), next_cursor: nextCursor }
    }
    if (!isOver(job)) return { ...presentJob(job), results: null }
    return c.body(textStream(jsonWithResults({ ...presentJob(job) }, presented(jobItems(ctx, job, filter)))), 200, {
      "content-type": "application/json",
    })
  },
})

async function* presented(pages: ReturnType<typeof jobItems>) {
  for await (const page of pages) yield page.map(presentItem)
}

const deadLetter = endpoint("key", "GET /jobs/{job_id}/dead-letter", {
  operationId: "getDeadLetters",
  summary: "List failed addresses",
  description: "Returns the addresses that failed every attempt, each with its last error. They cost nothing.",
  params: JobId,
  query: Page,
  answer: DeadLetters,
  problems: [404],
  async handle(c) {
    const { limit = 1_000, cursor } = c.req.valid("query")
    const { accountId } = member(c)
    const job = await findJob(c.var.ctx, { jobId: c.req.valid("param").job_id, accountId })
    const { items, nextCursor } = await jobPage(c.var.ctx, job, { cursor, limit, onlyFailed: true })
    const dead_letters = items.map(presentDeadLetter)
    return { job_id: job.jobId, total: job.failed, dead_letters, next_cursor: nextCursor }
  },
})

function retry({ path, unfinished, ...texts }: OperationTexts & { path: `/${string}`; unfinished: boolean }) {
  return endpoint("key", `POST ${path}`, {
    ...texts,
    params: JobId,
    answer: RetryJob,
    problems: [404],
    costs: true,
    async handle(c) {
      const { job_id } = c.req.valid("param")
      const { jobId, total } = await retryJob(c.var.ctx, c.var.meter, { jobId: job_id, caller: member(c), unfinished })
      return { job_id: jobId, status: "queued" as const, total, original_job_id: job_id }
    },
  })
}

const retryDeadLetter = retry({
  path: "/jobs/{job_id}/retry-dead-letter",
  operationId: "retryDeadLetter",
  summary: "Retry failed addresses",
  description: "Starts a new job with the failed addresses of a finished one. It costs what a list costs.",
  unfinished: false,
})

const resume = retry({
  path: "/jobs/{job_id}/resume",
  operationId: "resumeJob",
  summary: "Resume a job",
  description:
    "Starts a new job with the failed addresses of a job and, after a cancellation, its open ones. Finished results are not verified again. It costs what a list costs.",
  unfinished: true,
})

const cancel = endpoint("key", "DELETE /jobs/{job_id}", {
  operationId: "cancelJob",
  summary: "Cancel a job",
  description:
    "Stops a job. Its finished results stay available, and only these are charged. 409 for a job that is over.",
  params: JobId,
  answer: JobProgress,
  problems: [404, 409],
  async handle(c) {
    const { accountId } = member(c)
    const job = await cancelJob(c.var.ctx, { jobId: c.req.valid("param").job_id, accountId })
    return presentJob(await forecast(c.var.ctx, job))
  },
})

const events: Endpoint = endpoint("key", "GET /jobs/{job_id}/events", {
  operationId: "watchJob",
  summary: "Watch a job",
  description:
    "Streams the progress as server-sent events until the job is over, or the key is revoked. A connection that breaks may be opened again at any time.",
  params: JobId,
  problems: [404],
  responses: {
    200: {
      description: "Events named after the job's status",
      content: { "text/event-stream": { schema: z.string() } },
    },
  },
  async handle(c) {
    const { accountId } = member(c)
    const which = { jobId: c.req.valid("param").job_id, accountId }
    await c.var.meter.authorize()
    await findJob(c.var.ctx, which)
    const jobs = watchJob(c.var.ctx, which, () => isStillAuthorized(c, events.route))
    return c.body(textStream(toEvents(jobs)), 200, { "content-type": "text/event-stream" })
  },
})

async function* toEvents(jobs: ReturnType<typeof watchJob>) {
  for await (const job of jobs) yield job ? serverSentEvent(shownStatusOf(job), presentJob(job)) : ": still here\n\n"
}

export const jobEndpoints: Endpoint[] = [submit, get, deadLetter, retryDeadLetter, resume, cancel, events]

import { z } from "@hono/zod-openapi"
import type { DoneItem, Job } from "../../adapters/store/lists/jobs.ts"
import { shownEmail } from "../../domain/address/address-forms.ts"
import { RESULT_FILTERS } from "../../domain/lists/download.ts"
import {
  cancelledAtOf,
  FINISH_WITHIN,
  isOver,
  SHOWN_STATUSES,
  shownStatusOf,
  summaryOf,
} from "../../domain/lists/job.ts"
import { iso } from "../../domain/time.ts"
import { presentChecks } from "../../domain/verification/checks.ts"
import { advise } from "../../domain/verification/verification.ts"
import { nextCursor, shownAddress, verdictStatus } from "../../http/answer-fields.ts"
import { arrayOf, component, share, textCursor } from "../../http/fields.ts"
import type { Forecast } from "../../services/lists/job-progress.ts"
import type { JobResult } from "../../services/lists/job-results.ts"
import type { SampleProjection as Projection } from "../../services/lists/sample-list.ts"
import { Checks } from "../verification/checks.ts"
import { Deliverability } from "../verification/present-deliverability.ts"

export const shownStatus = z
  .enum(SHOWN_STATUSES)
  .openapi({ description: "State of the job; `complete` and `failed` are final. A canceled job is `failed`" })
const JOB_ID = { example: "job_0123456789abcdef01234567" }
export const jobId = z.string().openapi({ description: "Id of the job", ...JOB_ID })
export const total = z.int().openapi({ description: "Addresses of the list, without duplicates" })
export const deduplicated = z.int().openapi({ description: "Duplicates removed from the list" })
const time = z.iso.datetime()
const submittedAt = time.openapi({ description: "Time of the call that started the job" })

export const JobId = z.object({
  job_id: z
    .string()
    .max(64)
    .openapi({ description: "Id of the job", ...JOB_ID }),
})

/** Which results to return. The account's flags of the moment decide `can_send`. */
export const resultFilter = z
  .enum(RESULT_FILTERS)
  .default("all")
  .openapi({
    description:
      "`invalid` includes malformed addresses. `can_send` follows the account's current suppressions. " +
      "`risky` are `accept_all`, and `valid` with `can_send` false, of a role or disposable. " +
      "`role` are role addresses, and `free` those of free mailbox providers",
  })

export const SubmittedJob = component("SubmittedJob", {
  job_id: jobId,
  status: shownStatus,
  total: z.int().openapi({ description: "Addresses to verify, without duplicates" }),
  submitted_at: submittedAt,
  estimated_seconds: z
    .int()
    .openapi({ description: "Estimate of the whole job in seconds, at 300 addresses a second" }),
})

/** Addresses that a job verifies per second, for the estimate. */
const PER_SECOND = 300

export function presentSubmitted(job: Pick<Job, "jobId" | "total" | "createdAt">): z.infer<typeof SubmittedJob> {
  return {
    job_id: job.jobId,
    status: "queued",
    total: job.total,
    submitted_at: iso(job.createdAt),
    estimated_seconds: Math.max(1, Math.ceil(job.total / PER_SECOND)),
  }
}

/** Whether results may still follow. */
export const PartialState = z.object({
  partial: z.boolean().openapi({ description: "Results may still follow: the job is not over" }),
  pending: z.int().openapi({ description: "Addresses whose result still follows; 0 when the job is over" }),
  next_attempt_at: time.nullable().openapi({
    description: "When the next planned retry of pending addresses is due; null without one",
  }),
  retries_until: time.nullable().openapi({
    description: "When the last retry is due, if an address needs all of them; null without a planned one",
  }),
})

export const countsShape = {
  valid: z.int().openapi({ description: "Addresses with the status `valid`" }),
  invalid: z.int().openapi({ description: "Addresses with the status `invalid`" }),
  accept_all: z.int().openapi({ description: "Addresses with the status `accept_all`" }),
  unknown: z.int().openapi({ description: "Addresses with the status `unknown`" }),
  invalid_syntax: z.int().openapi({ description: "Malformed addresses" }),
}
const statusCounts = z.object(countsShape).openapi({ description: "Finished addresses by status" })

const JobState = z.object({
  job_id: jobId,
  file_name: z.string().nullable().openapi({
    description: "Name of the uploaded file; null without one, or if the name contains an @",
    example: "customers.csv",
  }),
  status: shownStatus,
  total,
  progress: z.int().openapi({ description: "Addresses done" }),
  pct_complete: z.number().min(0).max(100).openapi({ description: "Percent of the addresses that are done, 0 to 100" }),
  summary: statusCounts,
  sendable: z.int().openapi({
    description: "Finished addresses whose status and score allow sending, before the account's suppressions",
  }),
  cached: z.int().openapi({ description: "Stored results, which cost no credit" }),
  credits_used: z.int().openapi({ description: "Credits that the list cost so far", example: 95 }),
  failed: z.int().openapi({ description: "Addresses that failed all retries; see dead-letter" }),
  ...PartialState.shape,
  estimated_seconds: z.int().nullable().openapi({
    description:
      "Estimate of the rest, from the measured pace and the planned retries; null when the job is over. An address that a server defers again takes longer",
  }),
  finish_within: z.int().min(FINISH_WITHIN.min).max(FINISH_WITHIN.max).nullable().openapi({
    description: "Seconds from submission until the job ends at the latest; null without a limit",
  }),
  deduplicated,
  submitted_at: submittedAt,
  started_at: time.nullable().openapi({ description: "Time of the first verification; null before" }),
  completed_at: time.nullable().openapi({ description: "Time at which the job ended; null before" }),
  cancelled_at: time.nullable().openapi({
    description: "When the job was canceled. Such a job has the status failed and keeps its finished results",
  }),
  original_job_id: z.string().nullable().openapi({ description: "The job that this job retries" }),
})
type JobState = z.infer<typeof JobState>

/** A place in a list of jobs, newest first. */
export const jobCursor = textCursor(/^\d{1,15}\.job_[0-9a-f]{24}$/)

export function readJobCursor(cursor: string | undefined) {
  const [createdAt, jobId] = cursor?.split(".") ?? []
  return jobId === undefined ? null : { createdAt: Number(createdAt), jobId }
}

export const writeJobCursor = (last: Pick<Job, "createdAt" | "jobId"> | null) =>
  last && `${last.createdAt}.${last.jobId}`

export const JobProgress = JobState.openapi("JobProgress")

const { recommendation, primary_risk } = Deliverability.shape.deliverability_score.shape

const JobItem = z.object({ checks: Checks, recommendation, primary_risk })

export const JobAnswer = JobState.extend({
  results: z.array(JobItem).nullable().openapi({
    description:
      "Null until the job is over. With `limit` or `cursor`: the finished results so far, in the order of the list. While `partial` is true, a page may have gaps that are filled later",
  }),
  next_cursor: z.string().nullable().optional().openapi({
    description:
      "With `limit` or `cursor`: the cursor of the next page. With `filter` a page may be short and still have one",
  }),
}).openapi("Job")

export function presentPartial(job: Forecast): z.infer<typeof PartialState> {
  const partial = !isOver(job)
  return {
    partial,
    pending: partial ? job.total - job.done : 0,
    next_attempt_at: iso(job.nextAttemptAt),
    retries_until: iso(job.retriesUntil),
  }
}

export function presentJob(job: Forecast): JobState {
  return {
    job_id: job.jobId,
    file_name: job.fileName,
    status: shownStatusOf(job),
    total: job.total,
    progress: job.done,
    pct_complete: job.total === 0 ? 100 : Math.floor((job.done * 1_000) / job.total) / 10,
    summary: summaryOf(job),
    sendable: job.sendable,
    cached: job.cached,
    credits_used: job.credits,
    failed: job.failed,
    ...presentPartial(job),
    estimated_seconds: job.estimatedSeconds,
    finish_within: job.finishWithin,
    deduplicated: job.submitted - job.total,
    submitted_at: iso(job.createdAt),
    started_at: iso(job.startedAt),
    completed_at: iso(job.completedAt),
    cancelled_at: iso(cancelledAtOf(job)),
    original_job_id: job.parentId,
  }
}

export function presentItem({ verification }: JobResult): z.infer<typeof JobItem> {
  const { recommendation, primaryRisk } = advise(verification)
  return { checks: presentChecks(verification), recommendation, primary_risk: primaryRisk }
}

export const DeadLetters = component("DeadLetters", {
  job_id: jobId,
  total: z.int().openapi({ description: "Addresses that failed all retries" }),
  dead_letters: arrayOf({
    email: shownAddress,
    error: z.string().openapi({ description: "Why the last attempt failed", example: "greylisted" }),
    detail: z.string().nullable().openapi({ description: "The mail server's last reply, or the failure" }),
    attempts: z.int().openapi({ description: "Attempts, the first one included" }),
    last_attempt_at: time.openapi({ description: "Time of the last attempt" }),
  }).openapi({ description: "A page of these addresses" }),
  next_cursor: nextCursor,
})

export function presentDeadLetter(item: DoneItem): z.infer<typeof DeadLetters>["dead_letters"][number] {
  const { error, attempts, verifiedAt, evidence } = item
  const outcome = evidence.mailbox?.outcome
  const detail = outcome?.kind === "reply" ? `${outcome.reply.code} ${outcome.reply.text}` : (outcome?.detail ?? null)
  return {
    email: shownEmail(evidence.address),
    error: error ?? "unknown",
    detail,
    attempts,
    last_attempt_at: iso(verifiedAt),
  }
}

export const RetryJob = component("RetryJob", {
  job_id: jobId,
  status: shownStatus,
  total,
  original_job_id: z.string().openapi({ description: "The job whose failed addresses this one verifies again" }),
})

export const SampleProjection = component("SampleProjection", "Projection of a stratified sample to the whole list", {
  status: z.literal("sampled").openapi({ description: "The list is only sampled: no job has started" }),
  total,
  sampled: z.int().openapi({ description: "Addresses that were verified" }),
  confidence: z.literal(0.95).openapi({ description: "Confidence of the intervals: 95 %" }),
  projection: arrayOf({
    status: verdictStatus,
    share: share.openapi({ description: "Estimated share of the list, 0 to 1" }),
    low: share.openapi({ description: "Lower end of the interval, 0 to 1" }),
    high: share.openapi({ description: "Upper end of the interval, 0 to 1" }),
    expected: z.int().openapi({ description: "Estimated addresses of the list" }),
  }).openapi({ description: "The estimate for each status" }),
  operators: arrayOf({
    operator: z.string().openapi({ description: "The mail operator", example: "Google Workspace" }),
    total: z.int().openapi({ description: "Addresses of the list at this operator" }),
    sampled: z.int().openapi({ description: "Addresses that were verified" }),
  }).openapi({ description: "The sample by mail operator" }),
})

export function presentProjection({ total, sampled, shares, strata }: Projection): z.infer<typeof SampleProjection> {
  const projection = shares.map((one) => ({ ...one, expected: Math.round(one.share * total) }))
  const operators = strata.map(({ operator, total, sampled }) => ({ operator, total, sampled }))
  return { status: "sampled", total, sampled, confidence: 0.95, projection, operators }
}

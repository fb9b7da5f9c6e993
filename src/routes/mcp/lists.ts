import { z } from "zod"
import { STATUSES } from "../../../schema/vocabulary.ts"
import { counted } from "../../domain/counted.ts"
import { RESULT_FILTERS } from "../../domain/lists/download.ts"
import { SHOWN_STATUSES } from "../../domain/lists/job.ts"
import { JobAnswer, type SubmittedJob } from "../lists/present-job.ts"
import { pathStep, READS_ACCOUNT, type ToolAnswer, time, tool } from "./tool.ts"
import { rating, riskField } from "./verify-email.ts"

const MAX_EMAILS = 5_000
const TOO_MANY = `too many: split the list, and send at most ${MAX_EMAILS} addresses in one call`
/** What fits a model's context: about 5,000 characters. */
const MAX_RESULTS = 100
const DEFAULT_RESULTS = 20

const Started = z.object({
  job_id: z.string().describe("For get_list"),
  status: z.enum(SHOWN_STATUSES),
  total: z.int().describe("Addresses to verify, without duplicates"),
  estimated_seconds: z.int(),
})

/** @param given how many addresses the caller sent, duplicates included */
export function presentStarted(job: z.output<typeof SubmittedJob>, given: number): ToolAnswer<z.input<typeof Started>> {
  const { job_id, status, total, estimated_seconds } = job
  const removed = given > total ? ` (${counted(given - total, "duplicate")} removed)` : ""
  const text = `The list has the id ${job_id}. ${counted(total, "address", "addresses")}${removed}, about ${counted(estimated_seconds, "second")}. Call get_list with this id for progress and results.`
  return { answer: { job_id, status, total, estimated_seconds }, text }
}

export const verifyList = tool({
  name: "verify_list",
  title: "Verify a list of email addresses",
  description:
    "Starts the verification of a list in the background and returns its job_id at once. Then call get_list for progress and results. " +
    `Takes up to ${MAX_EMAILS} addresses; duplicates are removed. For one to three addresses use verify_email. ` +
    "Each call starts a new list. Costs 1 credit for each address; stored, malformed and unknown results are free.",
  input: z.object({
    emails: z
      .array(z.string())
      .min(1, "give at least one address")
      .max(MAX_EMAILS, TOO_MANY)
      .describe("The email addresses"),
  }),
  output: Started,
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  run: async (api, { emails }) =>
    presentStarted(await api.call("POST", "/validate/bulk/async", { emails }), emails.length),
})

const Progress = z.object({
  job_id: z.string(),
  status: z.enum(SHOWN_STATUSES),
  is_over: z.boolean().describe("False: results may still follow, so call again later"),
  total: z.int(),
  done: z.int(),
  counts: JobAnswer.shape.summary.describe("Finished addresses by status"),
  sendable_before_suppressions: z
    .int()
    .describe(
      "Finished addresses whose status and score allow sending. The filter can_send leaves out suppressed ones",
    ),
  credits_used: z.int(),
  estimated_seconds: z.int().nullable().describe("Estimate of the rest; null when the list is over"),
  next_attempt_at: time.nullable().describe("When deferred addresses are tried again; null without any"),
  pending: z.int().describe("Addresses whose result still follows. The results of the others are final"),
  results: z.array(
    z.object({
      email: z.string(),
      status: z.enum(STATUSES),
      can_send: z.boolean(),
      score: z.int(),
      recommendation: rating.recommendation,
      primary_risk: riskField,
    }),
  ),
  next_cursor: z.string().nullable().describe("For the next page of results; null on the last one"),
})

/** A page of a list with its counts. */
export function presentProgress(job: z.output<typeof JobAnswer>): ToolAnswer<z.input<typeof Progress>> {
  const { job_id, status, partial, total, progress: done, summary: counts, sendable, pending } = job
  const { credits_used, estimated_seconds, next_attempt_at, next_cursor = null } = job
  const results = (job.results ?? []).map(({ checks: { email, status, can_send, score }, ...advice }) => ({
    email,
    status,
    can_send,
    score,
    recommendation: advice.recommendation,
    primary_risk: advice.primary_risk,
  }))
  const answer = {
    job_id,
    status,
    is_over: !partial,
    total,
    done,
    counts,
    credits_used,
    sendable_before_suppressions: sendable,
    estimated_seconds,
    next_attempt_at,
    pending,
    results,
    next_cursor,
  }
  return { answer, text: textOf(answer) }
}

function textOf({ job_id, status, is_over, total, done, ...rest }: z.input<typeof Progress>): string {
  const found = Object.entries(rest.counts).filter(([, count]) => count > 0)
  const counts = found.map(([name, count]) => `${count} ${name}`)
  const waiting = `${counted(rest.pending, "address", "addresses")} ${rest.pending === 1 ? "is" : "are"} pending`
  const retry =
    rest.next_attempt_at === null ? "" : `; servers that deferred are asked again at ${rest.next_attempt_at}`
  const wait = `Call get_list again in about ${durationOf(rest.estimated_seconds ?? 1)}: ${waiting}${retry}. Finished results are final.`
  return [
    `List ${job_id} is ${status}: ${done} of ${total} done (${counts.join(", ") || "no results yet"}), ${rest.sendable_before_suppressions} sendable before suppressions, ${counted(rest.credits_used, "credit")} used.`,
    ...(is_over ? [] : [wait]),
    ...rest.results.map(
      ({ email, status, score, recommendation, primary_risk }) =>
        `- ${email}: ${status}, score ${score}, ${recommendation.replaceAll("_", " ")}${primary_risk === null ? "" : ` (${primary_risk})`}`,
    ),
    ...(rest.next_cursor === null ? [] : [`More results: call get_list with cursor ${rest.next_cursor}.`]),
  ].join("\n")
}

function durationOf(seconds: number): string {
  return seconds < 120 ? counted(seconds, "second") : counted(Math.ceil(seconds / 60), "minute")
}

export const getList = tool({
  name: "get_list",
  title: "Read a list's progress and results",
  description:
    "Returns progress, counts and one page of the results of a list that verify_list or an upload started. " +
    "Wait for estimated_seconds between two calls of an unfinished list. Use filter to read only what matters, such as can_send. Free.",
  input: z.object({
    job_id: z.string().min(1).max(64).describe("From verify_list, such as job_0123456789abcdef01234567"),
    filter: z
      .enum(RESULT_FILTERS)
      .optional()
      .describe(
        "Which results to return; all when left out. risky: accept_all, and valid ones that are a role, disposable or not to be sent to",
      ),
    limit: z.int().min(1).max(MAX_RESULTS).optional().describe(`Results on the page; ${DEFAULT_RESULTS} when left out`),
    cursor: z.string().optional().describe("next_cursor of the page before"),
  }),
  output: Progress,
  hints: READS_ACCOUNT,
  async run(api, { job_id, filter = "all", limit = DEFAULT_RESULTS, cursor }) {
    const page = new URLSearchParams({ filter, limit: String(limit), ...(cursor === undefined ? {} : { cursor }) })
    return presentProgress(await api.call("GET", `/jobs/${pathStep(job_id)}?${page}`))
  },
})

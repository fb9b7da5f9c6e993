import type { DayCount } from "../../adapters/store/accounts/history.ts"
import type { PassedItem } from "../../adapters/store/lists/finish-items.ts"
import type { OpenItem } from "../../adapters/store/lists/job-chunks.ts"
import type { Job } from "../../adapters/store/lists/jobs.ts"
import type { Context } from "../../context.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { cancelledAtOf, shownStatusOf, summaryOf } from "../../domain/lists/job.ts"
import { dayOf, iso } from "../../domain/time.ts"
import { noEvidence } from "../../domain/verification/evidence.ts"
import { assess } from "../../domain/verification/verification.ts"
import { AppError } from "../../errors.ts"
import { publishEvent } from "../webhooks/publish-event.ts"
import { findJob } from "./job-results.ts"
import { dispatchChunks } from "./start-job.ts"

/** Items counted in one statement: the database times out after three seconds. */
const ITEMS_AT_ONCE = 250_000

/**
 * Processes the end of a job: settles the charge, sends the event and marks the job as settled. Each step is
 * repeatable, so the sweeper can redo it after a crash.
 */
export async function finishJob(ctx: Context, jobId: string): Promise<void> {
  const job = await ctx.store.jobs.byId(jobId)
  if (!job || job.completedAt === null || job.settledAt !== null) return
  if (job.kind === "turbo") return ctx.store.jobIntake.drop(jobId)
  await ctx.store.charges.settle(jobId, job.credits)
  await notifyJobFinished(ctx, job)
  const now = ctx.clock.now()
  const counts: DayCount[] = []
  for (let from = 0; from < job.submitted && job.accountId !== null; from += ITEMS_AT_ONCE)
    for (const counted of await ctx.store.jobs.countByStatus(jobId, { from, count: ITEMS_AT_ONCE }))
      counts.push({ day: dayOf(now), ...counted })
  await ctx.store.jobs.settle(jobId, { now, counts })
}

/** Enqueues the single event of a job's end, also when called repeatedly. It carries counts, never results. */
async function notifyJobFinished(ctx: Context, job: Job): Promise<void> {
  await publishEvent(ctx, {
    accountId: job.accountId,
    type: job.kind === "reverify" ? "reverify.completed" : job.status === "complete" ? "job.completed" : "job.failed",
    url: job.webhookUrl,
    about: job.completedEventId ?? job.jobId,
    data: () => ({
      ...countsOf(job),
      completed_at: new Date(job.completedAt ?? job.createdAt).toISOString(),
      cancelled_at: iso(cancelledAtOf(job)),
    }),
  })
}

/** Cancels a job. Finished addresses stay charged. @throws AppError conflict when the job is over */
export async function cancelJob(ctx: Context, which: { jobId: string; accountId: string }): Promise<Job> {
  await findJob(ctx, which)
  const end = { now: ctx.clock.now(), eventId: `evt_${ctx.randomToken()}` }
  if (!(await ctx.store.jobs.cancel(which.jobId, end))) throw new AppError("conflict", "the job is already over")
  await finishJob(ctx, which.jobId)
  return findJob(ctx, which)
}

/** Rows searched by one statement, and items finished by one. */
const ROWS_AT_ONCE = 10_000
const ITEMS_ENDED_AT_ONCE = 1_000
/** A sweep ends jobs for this long. The next one continues with the rest of a long list. */
const SWEEP_MS = 8_000

/** Ends the jobs whose `finish_within` is over. Their pending addresses become `unknown`, free of charge. Repeatable. */
async function endDueJobs(ctx: Context): Promise<void> {
  const { clock, store } = ctx
  const stopAt = clock.now() + SWEEP_MS
  for (const { jobId, submitted } of await store.jobLimits.due(clock.now())) {
    await store.jobLimits.stop(jobId, clock.now())
    for (let from = 0; from < submitted; from += ROWS_AT_ONCE) {
      if (clock.now() >= stopAt) return
      const open = await store.jobLimits.open(jobId, { from, count: ROWS_AT_ONCE })
      for (let at = 0; at < open.length; at += ITEMS_ENDED_AT_ONCE) {
        const items = open.slice(at, at + ITEMS_ENDED_AT_ONCE).map((item) => toEnded(item, clock.now()))
        await store.jobChunks.writeFinished(jobId, { items, results: [] })
      }
    }
    const end = { now: clock.now(), eventId: `evt_${ctx.randomToken()}` }
    if (await store.jobLimits.end(jobId, end)) await finishJob(ctx, jobId)
  }
}

/** The item as a dead letter, unless it is malformed. Evidence of an earlier pass shows why it was still pending. */
function toEnded({ idx, email, evidence: before, attempts }: OpenItem, verifiedAt: number): PassedItem {
  const evidence = before ?? { ...noEvidence(parseAddress(email)), probeProblem: "deadline" as const }
  const { verdict, score, canSend } = assess(evidence, { cached: false, verifiedAt })
  const isMalformed = verdict.status === "invalid_syntax"
  return {
    idx,
    canSend,
    evidence,
    verifiedAt,
    attempts,
    status: isMalformed ? "invalid_syntax" : "unknown",
    score: score.total,
    cached: false,
    error: isMalformed ? null : "finish_within",
    isAbandoned: false,
    credits: 0,
  }
}

/** Enqueues the single event of a job that only retries are left of, also when called repeatedly. */
export async function notifyPartial(ctx: Context, jobId: string): Promise<void> {
  const job = await ctx.store.jobs.byId(jobId)
  if (job?.status !== "running" || job.firstPassAt === null) return
  const now = ctx.clock.now()
  const schedules = await ctx.store.jobs.schedules([jobId], now)
  await publishEvent(ctx, {
    accountId: job.accountId,
    type: "job.partial",
    url: job.webhookUrl,
    about: jobId,
    data: () => ({
      ...countsOf(job),
      partial: true,
      pending: job.total - job.done,
      next_attempt_at: iso(schedules.get(jobId)?.nextRetryAt ?? null),
    }),
  })
  await ctx.store.jobs.setPartialNotified(jobId, now)
}

/** The counts of a job in its events, which carry no results. */
function countsOf(job: Job) {
  return {
    job_id: job.jobId,
    status: shownStatusOf(job),
    total: job.total,
    progress: job.done,
    failed: job.failed,
    summary: summaryOf(job),
  }
}

/** Time for the normal processing of a job's end. */
const FINISH_MS = 15_000
/** A list that is still arriving after this time is removed. */
const RECEIVE_MS = 30 * 60_000

/** Ends due jobs. Recovers from crashes and lost queue messages: expired chunks, pending events and job ends. */
export async function sweepJobs(ctx: Context): Promise<void> {
  await dispatchChunks(ctx)
  await endDueJobs(ctx)
  for (const { jobId } of await ctx.store.jobs.unsettled(ctx.clock.now() - FINISH_MS)) await finishJob(ctx, jobId)
  for (const { jobId } of await ctx.store.jobs.unreportedPartial()) await notifyPartial(ctx, jobId)
}

/** Removes lists whose upload was interrupted. */
export async function removeIncompleteLists(ctx: Context): Promise<void> {
  const now = ctx.clock.now()
  for (const jobId of await ctx.store.jobs.abandonReceiving(now - RECEIVE_MS, now)) {
    await ctx.store.charges.settle(jobId, 0)
    await ctx.store.jobIntake.drop(jobId)
  }
}

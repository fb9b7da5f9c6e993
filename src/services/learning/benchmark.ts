import type { UsageMeter } from "../../adapters/accounts/usage-meter.ts"
import type { Benchmark } from "../../adapters/store/learning/benchmarks.ts"
import type { Context } from "../../context.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { type Expectation, type Outcome, reportBenchmark } from "../../domain/learning/benchmark.ts"
import { assess, type Verification } from "../../domain/verification/verification.ts"
import { AppError } from "../../errors.ts"
import { allowanceOf } from "../lists/start-job.ts"
import { submitJob } from "../lists/submit-job.ts"
import { verifyList } from "../lists/verify-list.ts"

/** Larger benchmarks run as a job. */
const MAX_INLINE = 100

/** Verifies addresses with a known status, compares the results and charges the verifications. */
export async function runBenchmark(
  ctx: Context,
  meter: UsageMeter,
  { caller, expected }: { caller: Member; expected: readonly Expectation[] },
): Promise<Benchmark> {
  const { clock, randomToken } = ctx
  const { benchmarks } = ctx.store
  const { accountId } = caller
  const emails = expected.map(({ email }) => email)
  const createdAt = clock.now()
  const isSmall = expected.length <= MAX_INLINE
  if (!isSmall) {
    await meter.authorize()
    await (await allowanceOf(ctx, caller)).countStored(JSON.stringify(expected).length, 0)
  }
  const jobId = isSmall ? null : await startJob(ctx, meter, { caller, emails })
  const outcomes = isSmall ? await verifyNow(ctx, meter, { accountId, emails }) : null
  const completedAt = outcomes && clock.now()
  const report = outcomes && reportBenchmark(expected, outcomes, clock.now() - createdAt)
  const benchmark = {
    benchmarkId: `bench_${randomToken()}`,
    accountId,
    jobId,
    expected,
    report,
    createdAt,
    completedAt,
  }
  await benchmarks.add(benchmark)
  return benchmark
}

async function verifyNow(
  ctx: Context,
  meter: UsageMeter,
  { accountId, emails }: { accountId: string; emails: readonly string[] },
): Promise<Outcome[]> {
  const options = { smtp: true, deduplicate: false, maxConcurrent: null, checkSuppression: false }
  return (await verifyList(ctx, meter, { emails, accountId, ...options })).map(outcomeOf)
}

async function startJob(
  ctx: Context,
  meter: UsageMeter,
  { caller, emails }: { caller: Member; emails: readonly string[] },
): Promise<string> {
  const body = new TextEncoder().encode(JSON.stringify({ emails }))
  const submission = await submitJob(ctx, meter, {
    caller,
    body: new Blob([body]).stream(),
    maxBytes: body.length,
    readOptions: () => ({ smtp: true, deduplicate: false, webhookUrl: null, finishWithin: null, sample: false }),
  })
  if (submission.kind !== "job") throw new Error("a benchmark must not be a sample")
  return submission.jobId
}

function outcomeOf({
  evidence: { mailbox },
  verdict,
  score,
  cached,
}: Pick<Verification, "evidence" | "verdict" | "score" | "cached">): Outcome {
  const { status, subStatus } = verdict
  return { status, subStatus, score: score.total, cached, smtpMs: mailbox ? Math.round(mailbox.totalMs) : null }
}

export interface FoundBenchmark {
  readonly benchmark: Benchmark
  /** `cancelled`: its job was canceled or deleted, so there is no report. */
  readonly state: "running" | "complete" | "cancelled"
  /** Verified addresses. */
  readonly done: number
}

const PAGE = 500

/** Finds a benchmark of the account and creates its report once the job is over. @throws AppError not_found */
export async function findBenchmark(
  ctx: Context,
  { benchmarkId, accountId }: { benchmarkId: string; accountId: string },
): Promise<FoundBenchmark> {
  const benchmark = await ctx.store.benchmarks.find(benchmarkId, accountId)
  if (!benchmark) throw new AppError("not_found", "there is no such benchmark")
  const total = benchmark.expected.length
  if (benchmark.report || benchmark.jobId === null) return { benchmark, state: "complete", done: total }
  const job = await ctx.store.jobs.find(benchmark.jobId, accountId)
  if (!job || job.status === "cancelled") return { benchmark, state: "cancelled", done: job?.done ?? 0 }
  if (job.completedAt === null) return { benchmark, state: "running", done: job.done }
  const outcomes = await readOutcomes(ctx, job.jobId)
  // Items past their retention are deleted.
  if (outcomes.length < total) return { benchmark, state: "cancelled", done: outcomes.length }
  const report = reportBenchmark(benchmark.expected, outcomes, job.completedAt - (job.startedAt ?? job.createdAt))
  await ctx.store.benchmarks.complete(benchmarkId, report, job.completedAt)
  return { benchmark: { ...benchmark, report, completedAt: job.completedAt }, state: "complete", done: total }
}

async function readOutcomes(ctx: Context, jobId: string): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (let afterIdx = -1; ; ) {
    const page = await ctx.store.jobs.items(jobId, { afterIdx, limit: PAGE })
    for (const { evidence, cached, verifiedAt } of page)
      outcomes.push(outcomeOf(assess(evidence, { cached, verifiedAt })))
    if (page.length < PAGE) return outcomes
    afterIdx = page.at(-1)!.idx
  }
}

import type { Benchmark } from "../../adapters/store/learning/benchmarks.ts"
import type { Context } from "../../context.ts"
import { type Outcome, reportBenchmark } from "../../domain/learning/benchmark.ts"
import { assess } from "../../domain/verification/verification.ts"
import { AppError } from "../../errors.ts"
import { outcomeOf } from "./run-benchmark.ts"

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

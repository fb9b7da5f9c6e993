import type { Benchmark } from "../../adapters/store/benchmarks.ts"
import type { Deps } from "../../deps.ts"
import { type Outcome, reportBenchmark } from "../../domain/benchmark/report.ts"
import { assess } from "../../domain/verdict/verification.ts"
import { AppError } from "../../errors.ts"
import { outcomeOf } from "./run-benchmark.ts"

type Needs = Pick<Deps, "benchmarks" | "jobs">

export interface FoundBenchmark {
  readonly benchmark: Benchmark
  /** `cancelled`: its job was, or is gone, so there is nothing to report. */
  readonly state: "running" | "complete" | "cancelled"
  /** Addresses that are verified. */
  readonly done: number
}

const PAGE = 500

/** A benchmark of that account, its report made as soon as the job is over. @throws AppError not_found */
export async function findBenchmark(
  needs: Needs,
  { benchmarkId, accountId }: { benchmarkId: string; accountId: string },
): Promise<FoundBenchmark> {
  const benchmark = await needs.benchmarks.find(benchmarkId, accountId)
  if (!benchmark) throw new AppError("not_found", "there is no such benchmark")
  const total = benchmark.expected.length
  if (benchmark.report || benchmark.jobId === null) return { benchmark, state: "complete", done: total }
  const job = await needs.jobs.find(benchmark.jobId, accountId)
  if (!job || job.status === "cancelled") return { benchmark, state: "cancelled", done: job?.done ?? 0 }
  if (job.completedAt === null) return { benchmark, state: "running", done: job.done }
  const outcomes = await readOutcomes(needs, job.jobId)
  // Items past their retention are gone.
  if (outcomes.length < total) return { benchmark, state: "cancelled", done: outcomes.length }
  const report = reportBenchmark(benchmark.expected, outcomes, job.completedAt - (job.startedAt ?? job.createdAt))
  await needs.benchmarks.complete(benchmarkId, report, job.completedAt)
  return { benchmark: { ...benchmark, report, completedAt: job.completedAt }, state: "complete", done: total }
}

async function readOutcomes({ jobs }: Needs, jobId: string): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (let afterIdx = -1; ; ) {
    const page = await jobs.items(jobId, { afterIdx, limit: PAGE })
    for (const { evidence, cached, verifiedAt } of page)
      outcomes.push(outcomeOf(assess(evidence, { cached, verifiedAt })))
    if (page.length < PAGE) return outcomes
    afterIdx = page.at(-1)!.idx
  }
}

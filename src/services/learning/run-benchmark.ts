import type { Benchmark } from "../../adapters/store/benchmarks.ts"
import type { Deps } from "../../deps.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { type Expectation, type Outcome, reportBenchmark } from "../../domain/benchmark/report.ts"
import type { Verification } from "../../domain/verdict/verification.ts"
import { roomOf } from "../bulk/start-received.ts"
import { submitJob } from "../bulk/submit-job.ts"
import { verifyList } from "../bulk/verify-list.ts"

type Needs = Parameters<typeof verifyList>[0] & Parameters<typeof submitJob>[0] & Pick<Deps, "benchmarks">

/** More are verified in a job. */
const MAX_INLINE = 100

/**
 * Verifies addresses whose status is known, a few of them each anew, and holds the answers against it. They cost what
 * verifying costs.
 */
export async function runBenchmark(
  needs: Needs,
  { caller, expected }: { caller: Member; expected: readonly Expectation[] },
): Promise<Benchmark> {
  const { clock, benchmarks, randomToken } = needs
  const { accountId } = caller
  const emails = expected.map(({ email }) => email)
  const createdAt = clock.now()
  const isSmall = expected.length <= MAX_INLINE
  if (!isSmall) {
    await needs.meter.admit()
    await (await roomOf(needs, caller)).keep(JSON.stringify(expected).length, 0)
  }
  const jobId = isSmall ? null : await startJob(needs, caller, emails)
  const outcomes = isSmall ? await verifyNow(needs, accountId, emails) : null
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

async function verifyNow(needs: Needs, accountId: string, emails: readonly string[]): Promise<Outcome[]> {
  const options = { smtp: true, deduplicate: false, maxConcurrent: null, checkSuppression: false }
  return (await verifyList(needs, { emails, accountId, ...options })).map(outcomeOf)
}

async function startJob(needs: Needs, caller: Member, emails: readonly string[]): Promise<string> {
  const body = new TextEncoder().encode(JSON.stringify({ emails }))
  const submission = await submitJob(needs, {
    caller,
    body: new Blob([body]).stream(),
    maxBytes: body.length,
    readOptions: () => ({ smtp: true, deduplicate: false, webhookUrl: null, sample: false }),
  })
  if (submission.kind !== "job") throw new Error("a benchmark is no sample")
  return submission.jobId
}

export function outcomeOf({
  evidence: { mailbox },
  verdict,
  score,
  cached,
}: Pick<Verification, "evidence" | "verdict" | "score" | "cached">): Outcome {
  const { status, subStatus } = verdict
  return { status, subStatus, score: score.total, cached, smtpMs: mailbox ? Math.round(mailbox.totalMs) : null }
}

import type { TrainingRun } from "../../adapters/store/learning/models.ts"
import type { Context } from "../../context.ts"
import { groupUnverifiedAccounts } from "../../domain/learning/account-weights.ts"
import { train } from "../../domain/learning/train.ts"
import { collectSamples } from "./collect-samples.ts"

/** Longer than any step between two lease renewals. */
const LEASE_MS = 60_000
const MAX_ATTEMPTS = 3
/** The share of the work that reading takes, in percent. */
const READING = 80
/** The lease is renewed each time the progress grows by this many percent. */
const STEP = 10
/** Means all accounts in the trusted list. */
const ALL_ACCOUNTS = "*"

/** Runs a training unless another worker has claimed it. A new model is active here at once, elsewhere within a minute. Errors are logged. */
export async function runTraining(ctx: Context, runId: string): Promise<void> {
  const { clock, log } = ctx
  const { trainingRuns } = ctx.store
  const now = clock.now()
  const run = await trainingRuns.claim(runId, { now, until: now + LEASE_MS })
  if (!run) return
  try {
    // A worker that was killed, for example for lack of memory, cannot mark the run as failed.
    if (run.attempts > MAX_ATTEMPTS) await trainingRuns.finish(runId, { state: "failed", now })
    else await work(ctx, run)
  } catch (error) {
    log("training_failed", { run: runId, attempt: run.attempts, error: (error as Error).message })
    if (run.attempts >= MAX_ATTEMPTS) await trainingRuns.finish(runId, { state: "failed", now: clock.now() })
  }
}

async function work(ctx: Context, { runId, kind, minSamples }: TrainingRun): Promise<void> {
  const { clock } = ctx
  const { models, observations, trainingRuns } = ctx.store
  let renewedAt = 0
  const collected = await collectSamples(ctx, {
    kind,
    async onProgress(share) {
      const progress = Math.floor(share * READING)
      if (progress < renewedAt + STEP) return
      renewedAt = progress
      await trainingRuns.advance(runId, progress, clock.now() + LEASE_MS)
    },
  })
  const current = (await models.activeWithReport(kind))?.model ?? (await models.active(kind))
  const accounts = [...new Set(collected.map(({ accountId }) => accountId))]
  const trusted = ctx.config.trustedAccounts.has(ALL_ACCOUNTS) ? new Set(accounts) : ctx.config.trustedAccounts
  const samples = groupUnverifiedAccounts(
    collected,
    new Set([...(await observations.trustedAccounts(accounts)), ...trusted]),
  )
  const training = train(samples, { kind, minSamples, current, trusted })
  const end = { samples: samples.length, report: training.report }
  if (training.kind === "refused")
    return trainingRuns.finish(runId, { state: "refused", reason: training.reason, ...end, now: clock.now() })
  const { model, report } = training
  const version = await models.add({ kind, ...model, runId, report, trainedAt: clock.now() })
  await ctx.activeRules.reload()
  await trainingRuns.finish(runId, { state: "trained", version, ...end, now: clock.now() })
}

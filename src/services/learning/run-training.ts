import type { TrainingRun } from "../../adapters/store/training-runs.ts"
import type { Deps } from "../../deps.ts"
import { joinUnproven } from "../../domain/model/account-weights.ts"
import { train } from "../../domain/model/train.ts"
import { collectSamples } from "./collect-samples.ts"

export type TrainNeeds = Pick<Deps, "clock" | "log" | "models" | "trainingRuns" | "observations" | "trustedAccounts">

/** Longer than any step between two signs of life. */
const LEASE_MS = 60_000
const MAX_ATTEMPTS = 3
/** Percent of the work that reading is. */
const READING = 80
/** A sign of life every so many percent. */
const STEP = 10
/** Stands for all accounts among the trusted. */
const EVERYBODY = "*"

/** Works on a training unless somebody else does. A model that comes of it is in use from then on; what fails is logged. */
export async function runTraining(needs: TrainNeeds, runId: string): Promise<void> {
  const { clock, trainingRuns, log } = needs
  const now = clock.now()
  const run = await trainingRuns.claim(runId, { now, until: now + LEASE_MS })
  if (!run) return
  try {
    // Who was killed at it, for want of memory perhaps, could not say so.
    if (run.attempts > MAX_ATTEMPTS) await trainingRuns.finish(runId, { state: "failed", now })
    else await work(needs, run)
  } catch (error) {
    log("training_failed", { run: runId, attempt: run.attempts, error: (error as Error).message })
    if (run.attempts >= MAX_ATTEMPTS) await trainingRuns.finish(runId, { state: "failed", now: clock.now() })
  }
}

async function work(needs: TrainNeeds, { runId, kind, minSamples }: TrainingRun): Promise<void> {
  const { clock, models, observations, trainingRuns } = needs
  let told = 0
  const collected = await collectSamples(needs, {
    kind,
    async onProgress(share) {
      const progress = Math.floor(share * READING)
      if (progress < told + STEP) return
      told = progress
      await trainingRuns.advance(runId, progress, clock.now() + LEASE_MS)
    },
  })
  const current = (await models.activeWithReport(kind))?.model ?? (await models.active(kind))
  const accounts = [...new Set(collected.map(({ accountId }) => accountId))]
  const trusted = needs.trustedAccounts.has(EVERYBODY) ? new Set(accounts) : needs.trustedAccounts
  const samples = joinUnproven(collected, new Set([...(await observations.vouched(accounts)), ...trusted]))
  const training = train(samples, { kind, minSamples, current, trusted })
  const end = { samples: samples.length, report: training.report }
  if (training.kind === "refused")
    return trainingRuns.finish(runId, { state: "refused", reason: training.reason, ...end, now: clock.now() })
  const { model, report } = training
  const version = await models.add({ kind, ...model, runId, report, trainedAt: clock.now() })
  await trainingRuns.finish(runId, { state: "trained", version, ...end, now: clock.now() })
}

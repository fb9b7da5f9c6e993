import type { ModelKind } from "../../../schema/vocabulary.ts"
import type { TrainingRun } from "../../adapters/store/learning/models.ts"
import type { Context } from "../../context.ts"
import { windowStart } from "./collect-samples.ts"
import { runTraining } from "./run-training.ts"

/** Starts a training in the background or returns the running one. Too few facts are refused at once. */
export async function startTraining(
  ctx: Context,
  { kind, minSamples }: { kind: ModelKind; minSamples: number },
): Promise<TrainingRun> {
  const { clock } = ctx
  const { trainingRuns, observations } = ctx.store
  const now = clock.now()
  const run = await trainingRuns.begin({ runId: `run_${ctx.randomToken()}`, kind, minSamples, now })
  if (run.state !== "queued" || run.createdAt !== now) return run
  const facts = await observations.count(kind, { since: windowStart(now), limit: minSamples })
  if (facts < minSamples) {
    const end = { state: "refused", reason: "too_few_samples", samples: facts } as const
    await trainingRuns.finish(run.runId, { ...end, now })
    return { ...run, ...end, progress: 100, finishedAt: now }
  }
  ctx.background(runTraining(ctx, run.runId))
  return run
}

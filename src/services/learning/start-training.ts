import type { ModelKind } from "../../../schema/vocabulary.ts"
import type { TrainingRun } from "../../adapters/store/training-runs.ts"
import type { Deps } from "../../deps.ts"
import { windowStart } from "./collect-samples.ts"
import { runTraining, type TrainNeeds } from "./run-training.ts"

type Needs = TrainNeeds & Pick<Deps, "randomToken" | "background">

/**
 * Starts a training in the background, or says which one is under way. With fewer facts than samples are asked for it is
 * refused at once.
 */
export async function startTraining(
  needs: Needs,
  { kind, minSamples }: { kind: ModelKind; minSamples: number },
): Promise<TrainingRun> {
  const { clock, trainingRuns, observations } = needs
  const now = clock.now()
  const run = await trainingRuns.begin({ runId: `run_${needs.randomToken()}`, kind, minSamples, now })
  if (run.state !== "queued" || run.createdAt !== now) return run
  const facts = await observations.count(kind, { since: windowStart(now), limit: minSamples })
  if (facts < minSamples) {
    const end = { state: "refused", reason: "too_few_samples", samples: facts } as const
    await trainingRuns.finish(run.runId, { ...end, now })
    return { ...run, ...end, progress: 100, finishedAt: now }
  }
  needs.background(runTraining(needs, run.runId))
  return run
}

import { MODEL_KINDS } from "../../../schema/vocabulary.ts"
import type { Deps } from "../../deps.ts"
import { DAY_MS } from "../../domain/time.ts"
import { windowStart } from "./collect-samples.ts"
import { runTraining, type TrainNeeds } from "./run-training.ts"

type Needs = TrainNeeds & Pick<Deps, "randomToken">

/** So much has to be new for a training to be worth its while. */
const MIN_NEW_FACTS = 1_000
const RUNS_KEPT_MS = 365 * DAY_MS

/** Trains each model again when enough has been heard since the last time, and forgets old trainings. */
export async function keepLearning(needs: Needs): Promise<void> {
  const { clock, trainingRuns, observations } = needs
  const now = clock.now()
  for (const kind of MODEL_KINDS) {
    const last = await trainingRuns.latest(kind)
    const since = Math.max(windowStart(now), last?.createdAt ?? 0)
    if ((await observations.count(kind, { since, limit: MIN_NEW_FACTS })) < MIN_NEW_FACTS) continue
    const run = { runId: `run_${needs.randomToken()}`, kind, minSamples: MIN_NEW_FACTS, now: clock.now() }
    await runTraining(needs, (await trainingRuns.begin(run)).runId)
  }
  await trainingRuns.deleteBefore(now - RUNS_KEPT_MS)
}

/** Takes up trainings whose worker has died. */
export async function resumeTrainings(needs: TrainNeeds): Promise<void> {
  for (const { runId } of await needs.trainingRuns.abandoned(needs.clock.now())) await runTraining(needs, runId)
}

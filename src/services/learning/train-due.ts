import { MODEL_KINDS } from "../../../schema/vocabulary.ts"
import type { Context } from "../../context.ts"
import { DAY_MS } from "../../domain/time.ts"
import { windowStart } from "./collect-samples.ts"
import { runTraining } from "./run-training.ts"

/** The number of new facts that justifies a training. */
const MIN_NEW_FACTS = 1_000
const RUNS_KEPT_MS = 365 * DAY_MS

/** Trains each model again when it has enough new facts, and deletes old training runs. */
export async function trainDue(ctx: Context): Promise<void> {
  const { clock } = ctx
  const { trainingRuns, observations } = ctx.store
  const now = clock.now()
  for (const kind of MODEL_KINDS) {
    const last = await trainingRuns.latest(kind)
    const since = Math.max(windowStart(now), last?.createdAt ?? 0)
    if ((await observations.count(kind, { since, limit: MIN_NEW_FACTS })) < MIN_NEW_FACTS) continue
    const run = { runId: `run_${ctx.randomToken()}`, kind, minSamples: MIN_NEW_FACTS, now: clock.now() }
    await runTraining(ctx, (await trainingRuns.begin(run)).runId)
  }
  await trainingRuns.deleteBefore(now - RUNS_KEPT_MS)
}

/** Resumes trainings whose worker crashed. */
export async function resumeTrainings(ctx: Context): Promise<void> {
  for (const { runId } of await ctx.store.trainingRuns.abandoned(ctx.clock.now())) await runTraining(ctx, runId)
}

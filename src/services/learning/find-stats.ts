import type { ModelKind } from "../../../schema/vocabulary.ts"
import type { StoredModel, TrainingRun } from "../../adapters/store/learning/models.ts"
import type { Context } from "../../context.ts"
import { type Model, PRIOR_MODELS } from "../../domain/learning/model.ts"
import { windowStart } from "./collect-samples.ts"

export interface LearningStats {
  /** The model in use. */
  readonly model: Model
  /** Its evaluation at training time, null for the prior, which is not trained. */
  readonly report: StoredModel["report"] | null
  /** Facts available for training, counted up to MAX_COUNTED. */
  readonly facts: number
  readonly training: TrainingRun | null
  /** Newest first. */
  readonly versions: readonly StoredModel[]
}

const MAX_COUNTED = 60_000
const VERSIONS_SHOWN = 20

export async function findStats(ctx: Context, kind: ModelKind): Promise<LearningStats> {
  const { clock } = ctx
  const { models, trainingRuns, observations } = ctx.store
  const [active, training, versions, facts] = await Promise.all([
    models.activeWithReport(kind),
    trainingRuns.latest(kind),
    models.list(kind, VERSIONS_SHOWN),
    observations.count(kind, { since: windowStart(clock.now()), limit: MAX_COUNTED }),
  ])
  return { model: active?.model ?? PRIOR_MODELS[kind], report: active?.report ?? null, facts, training, versions }
}

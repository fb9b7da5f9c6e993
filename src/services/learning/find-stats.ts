import type { ModelKind } from "../../../schema/vocabulary.ts"
import type { KeptModel } from "../../adapters/store/models.ts"
import type { TrainingRun } from "../../adapters/store/training-runs.ts"
import type { Deps } from "../../deps.ts"
import type { Model } from "../../domain/model/model.ts"
import { PRIOR_MODELS } from "../../domain/model/prior.ts"
import { windowStart } from "./collect-samples.ts"

type Needs = Pick<Deps, "clock" | "models" | "trainingRuns" | "observations">

export interface LearningStats {
  /** The model in use. */
  readonly model: Model
  /** How it fared when it was trained; null for the prior, which never was. */
  readonly report: KeptModel["report"] | null
  /** Facts that could be learned from, counted up to MAX_COUNTED. */
  readonly facts: number
  readonly training: TrainingRun | null
  /** Newest first. */
  readonly versions: readonly KeptModel[]
}

const MAX_COUNTED = 60_000
const VERSIONS_SHOWN = 20

export async function findStats(needs: Needs, kind: ModelKind): Promise<LearningStats> {
  const { models, trainingRuns, observations, clock } = needs
  const [kept, training, versions, facts] = await Promise.all([
    models.activeWithReport(kind),
    trainingRuns.latest(kind),
    models.list(kind, VERSIONS_SHOWN),
    observations.count(kind, { since: windowStart(clock.now()), limit: MAX_COUNTED }),
  ])
  return { model: kept?.model ?? PRIOR_MODELS[kind], report: kept?.report ?? null, facts, training, versions }
}

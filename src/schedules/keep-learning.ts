import type { Deps } from "../deps.ts"
import { keepLearning, resumeTrainings } from "../services/learning/keep-learning.ts"

/** Models are trained again when there is enough that is new. */
export const keepLearningEachNight = { cron: "17 3 * * *", run: (deps: Deps) => keepLearning(deps) }

/** A training whose worker has died is taken up again. */
export const resumeTrainingsEachMinute = { cron: "* * * * *", run: (deps: Deps) => resumeTrainings(deps) }

import { expect, test } from "vitest"
import { createTrainingRunStore } from "../../src/adapters/store/training-runs.ts"
import { runTraining, type TrainNeeds } from "../../src/services/learning/run-training.ts"
import { startDatabase } from "../support/database.ts"

test("a training that ended with its worker three times is not taken up a fourth time", async () => {
  const database = await startDatabase()
  try {
    const trainingRuns = createTrainingRunStore(database.open())
    const runId = "run_1"
    await trainingRuns.begin({ runId, kind: "deliverability", minSamples: 1, now: 1 })
    // A worker that is killed leaves its claim behind, and nothing else.
    for (let attempt = 1; attempt <= 3; attempt++)
      expect(await trainingRuns.claim(runId, { now: attempt * 100, until: attempt * 100 + 1 })).not.toBeNull()
    const needs = { trainingRuns, clock: { now: () => 1_000 }, log: () => undefined } as unknown as TrainNeeds
    await runTraining(needs, runId)
    expect(await trainingRuns.latest("deliverability")).toMatchObject({ state: "failed", attempts: 4 })
    expect(
      (await trainingRuns.begin({ runId: "run_2", kind: "deliverability", minSamples: 1, now: 2_000 })).runId,
    ).toBe("run_2")
  } finally {
    await database.stop()
  }
})

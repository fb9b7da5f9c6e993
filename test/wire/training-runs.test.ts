import { expect, test } from "vitest"
import { createTrainingRunStore } from "../../src/adapters/store/learning/models.ts"
import { runTraining } from "../../src/services/learning/training.ts"
import { testContext } from "../support/deps/context.ts"
import { startDatabase } from "../support/stack/database.ts"

test("a training whose worker died three times is not claimed a fourth time", async () => {
  const database = await startDatabase()
  try {
    const trainingRuns = createTrainingRunStore(database.open())
    const runId = "run_1"
    await trainingRuns.begin({ runId, kind: "deliverability", minSamples: 1, now: 1 })
    // A killed worker leaves only its claim.
    for (let attempt = 1; attempt <= 3; attempt++)
      expect(await trainingRuns.claim(runId, { now: attempt * 100, until: attempt * 100 + 1 })).not.toBeNull()
    const ctx = testContext({ clock: { now: () => 1_000 }, log: () => undefined, store: { trainingRuns } })
    await runTraining(ctx, runId)
    expect(await trainingRuns.latest("deliverability")).toMatchObject({ state: "failed", attempts: 4 })
    expect(
      (await trainingRuns.begin({ runId: "run_2", kind: "deliverability", minSamples: 1, now: 2_000 })).runId,
    ).toBe("run_2")
  } finally {
    await database.stop()
  }
})

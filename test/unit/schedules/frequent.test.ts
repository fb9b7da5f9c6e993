import { expect, test } from "vitest"
import { FREQUENT_CRONS, onceOf } from "../../../src/schedules/frequent.ts"
import { runSchedule } from "../../../src/schedules/index.ts"
import { testContext } from "../../support/deps/context.ts"
import { virtualClock } from "../../support/mail/virtual-clock.ts"

const SECOND = 1_000

/** Counts the runs of each frequent task by its first read. @param slowMs how long the claim of a sync takes */
function world({ slowMs = 0 } = {}) {
  const clock = virtualClock(0)
  const runs: [string, number][] = []
  const logged: string[] = []
  const at = (task: string) => void runs.push([task, clock.now() / SECOND])
  const ctx = testContext({
    clock,
    log: (event) => void logged.push(event),
    chunkQueue: {},
    probes: { count: async () => 1 },
    config: { bulk: { leaseMs: 180 * SECOND } },
    store: {
      jobChunks: {
        async waiting() {
          at("jobs")
          throw new Error("the database is busy")
        },
      },
      pending: {
        async abandoned() {
          at("verifications")
          return []
        },
      },
      webhookDeliveries: {
        async accountAt() {
          at("webhooks")
          return null
        },
      },
      integrationSyncs: {
        async claim() {
          at("syncs")
          await clock.sleep(slowMs)
          return null
        },
      },
    },
  })
  return { ctx, clock, runs, logged }
}

const EVERY_TEN = [0, 10, 20, 30, 40, 50]

test("a frequent cron repeats each of its tasks within the minute, also after one has failed", async () => {
  const { ctx, clock, runs, logged } = world()
  await clock.run(runSchedule(ctx, FREQUENT_CRONS[0]))
  for (const task of ["jobs", "verifications", "webhooks"])
    expect(runs.filter(([one]) => one === task)).toEqual(EVERY_TEN.map((second) => [task, second]))
  expect(logged).toEqual(EVERY_TEN.map(() => "schedule_failed"))
})

test("a slow repetition skips those that it overlaps, and ends near the minute", async () => {
  const { ctx, clock, runs } = world({ slowMs: 14 * SECOND })
  await clock.run(runSchedule(ctx, FREQUENT_CRONS[1]))
  expect(runs).toEqual([0, 14, 28, 42, 56].map((second) => ["syncs", second]))
})

test("the local host starts a single repetition", async () => {
  const { ctx, clock, runs } = world()
  for (const cron of FREQUENT_CRONS) await clock.run(runSchedule(ctx, onceOf(cron)))
  expect(runs.map(([task]) => task).sort()).toEqual(["jobs", "syncs", "verifications", "webhooks"])
})

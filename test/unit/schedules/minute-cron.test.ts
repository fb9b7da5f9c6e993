import { expect, test } from "vitest"
import { runSchedule } from "../../../src/schedules/index.ts"
import { MINUTE_CRON } from "../../../src/schedules/minute-cron.ts"
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
    log: (_, fields) => void logged.push(String(fields?.cron)),
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

test("one cron repeats each part within the minute, also after a task has failed", async () => {
  const { ctx, clock, runs, logged } = world()
  await clock.run(runSchedule(ctx, MINUTE_CRON))
  for (const task of ["jobs", "verifications", "webhooks", "syncs"])
    expect(runs.filter(([one]) => one === task)).toEqual(EVERY_TEN.map((second) => [task, second]))
  expect(logged.filter((cron) => cron === "interrupted work")).toHaveLength(EVERY_TEN.length)
})

test("a slow repetition skips those that it overlaps, ends near the minute, and delays no other part", async () => {
  const { ctx, clock, runs } = world({ slowMs: 14 * SECOND })
  await clock.run(runSchedule(ctx, MINUTE_CRON))
  const secondsOf = (task: string) => runs.flatMap(([one, second]) => (one === task ? [second] : []))
  expect(secondsOf("syncs")).toEqual([0, 14, 28, 42, 56])
  expect(secondsOf("verifications")).toEqual(EVERY_TEN)
})

test.each([
  ["interrupted work", ["jobs", "verifications", "webhooks"]],
  ["integrations", ["syncs"]],
])("the local host starts a part once: %s", async (part, tasks) => {
  const { ctx, clock, runs } = world()
  await clock.run(runSchedule(ctx, part))
  expect(runs.map(([task]) => task).sort()).toEqual(tasks)
})

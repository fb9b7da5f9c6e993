import { expect, test } from "vitest"
import { watchJob } from "../../../src/services/lists/job-progress.ts"
import { testContext } from "../../support/deps/context.ts"
import { virtualClock } from "../../support/mail/virtual-clock.ts"

const START = Date.UTC(2026, 10, 28)

/** Watches a job that runs until a time, and counts the events before the watch ends. */
async function watch(answers: (at: number) => boolean, endsAfterMs = Number.POSITIVE_INFINITY) {
  const clock = virtualClock(START)
  const job = () => ({ jobId: "job_1", status: clock.now() - START >= endsAfterMs ? "complete" : "running", done: 0 })
  const ctx = testContext({
    clock,
    store: { jobs: { find: async () => job(), schedules: async () => new Map() } },
    config: { bulk: { retryDelaysMs: [] } },
  } as never)
  const mayGoOn = async () => answers((clock.now() - START) / 1_000)
  const seen: (string | null)[] = []
  await clock.run(
    (async () => {
      for await (const event of watchJob(ctx, { jobId: "job_1", accountId: "acc_1" }, mayGoOn))
        seen.push(event?.status ?? null)
    })(),
  )
  return { seen, seconds: (clock.now() - START) / 1_000 }
}

test("a watch lasts ten minutes, with a keep-alive every 15 s", async () => {
  const { seen, seconds } = await watch(() => true)
  expect([seen[0], seen.filter((event) => event === null).length, seconds]).toEqual(["running", 39, 600])
})

test("a watch ends within 5 s after its caller is refused", async () => {
  expect(await watch((second) => second < 20)).toEqual({ seen: ["running", null], seconds: 24 })
})

test("a watch ends with its job", async () => {
  expect(await watch(() => true, 3_000)).toEqual({ seen: ["running", "complete"], seconds: 3 })
})

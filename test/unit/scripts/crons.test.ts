import { expect, onTestFinished, test, vi } from "vitest"
import { isDue, startCrons } from "../../../scripts/dev/worker-host.ts"

const AT = new Date("2026-11-22T03:17:30Z") // a Sunday

test.each([
  ["* * * * *", true],
  ["17 3 * * *", true],
  ["18 3 * * *", false],
  ["* 4 * * *", false],
  ["17 3 * * 0", true],
  ["17 3 * * 1", false],
  ["17 3 22 11 *", true],
  ["not a cron", false],
])("%s is due at 03:17 on a Sunday: %s", (cron, expected) => {
  expect(isDue(cron, AT)).toBe(expected)
})

test("what is due runs at once, and a cron that still runs is not started again", async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const runs: string[] = []
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const crons = startCrons(
    [
      { name: "minute", cron: "* * * * *", everyMs: 60_000 },
      { name: "never", cron: "0 0 30 2 *", everyMs: 10_000 },
    ],
    (name) => {
      runs.push(name)
      return ended
    },
  )
  expect(runs).toEqual(["minute"])
  await vi.advanceTimersByTimeAsync(20 * 60_000)
  expect(runs).toEqual(["minute"])
  end()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(runs).toEqual(["minute", "minute"])
  await crons.stop()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(runs).toHaveLength(2)
})

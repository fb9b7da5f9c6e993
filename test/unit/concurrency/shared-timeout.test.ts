import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { createSharedTimeout } from "../../../src/concurrency/deadlines.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Work that never ends, and returns why it was ended. */
const hanging = (signal: AbortSignal) =>
  new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve((signal.reason as Error).name)))

test("work that starts together shares one timer, which the last work clears", async () => {
  const inTime = createSharedTimeout(Date.now)
  const ends = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
  const running = ends.map(({ promise }) => inTime(2_000, () => promise))
  expect(vi.getTimerCount()).toBe(1)
  ends[0]!.resolve(1)
  expect(await running[0]).toBe(1)
  expect(vi.getTimerCount()).toBe(1)
  ends[1]!.reject(new Error("broken"))
  await expect(running[1]).rejects.toThrow("broken")
  expect(vi.getTimerCount()).toBe(0)
})

test("work has its whole time, and at most 50 ms of 2,000 more", async () => {
  const inTime = createSharedTimeout(Date.now)
  const endedAt: number[] = []
  const startedAt = Date.now()
  const run = async (ms: number) => {
    expect(await inTime(ms, hanging)).toBe("TimeoutError")
    endedAt.push(Date.now() - startedAt)
  }
  const all = [run(2_000)]
  await vi.advanceTimersByTimeAsync(49)
  all.push(run(2_000), run(400))
  await vi.advanceTimersByTimeAsync(1)
  all.push(run(2_000))
  await vi.runAllTimersAsync()
  await Promise.all(all)
  expect(endedAt).toEqual([49 + 410, 2_050, 2_050, 50 + 2_050])
})

test("work after an expired timer gets a new one", async () => {
  const inTime = createSharedTimeout(() => 0)
  const first = inTime(100, hanging)
  await vi.runAllTimersAsync()
  expect(await first).toBe("TimeoutError")
  expect(await inTime(100, async (signal) => signal.aborted)).toBe(false)
})

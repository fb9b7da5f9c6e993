import { afterEach, expect, test, vi } from "vitest"
import { systemClock } from "../../../src/adapters/platform.ts"
import { withDeadline } from "../../../src/concurrency/deadlines.ts"

afterEach(() => void vi.restoreAllMocks())

test("finished work leaves no timer, and aborts no controller", async () => {
  const abort = vi.spyOn(AbortController.prototype, "abort")
  const [set, clear] = [vi.spyOn(globalThis, "setTimeout"), vi.spyOn(globalThis, "clearTimeout")]
  expect(await withDeadline(systemClock, Promise.resolve("done"), systemClock.now() + 60_000)).toBe("done")
  expect(set).toHaveBeenCalledTimes(1)
  expect(clear).toHaveBeenCalledExactlyOnceWith(set.mock.results[0]!.value)
  expect(abort).not.toHaveBeenCalled()
})

test("failed work leaves no timer", async () => {
  const clear = vi.spyOn(globalThis, "clearTimeout")
  const failing = Promise.reject(new Error("broken"))
  await expect(withDeadline(systemClock, failing, systemClock.now() + 60_000)).rejects.toThrow("broken")
  expect(clear).toHaveBeenCalledTimes(1)
})

test("is null at the deadline", async () => {
  expect(await withDeadline(systemClock, new Promise(() => undefined), systemClock.now())).toBeNull()
})

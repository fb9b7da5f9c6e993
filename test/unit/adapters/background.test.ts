import { expect, test } from "vitest"
import { createBackground } from "../../../src/adapters/platform.ts"

/** A platform that records what it waits for. */
function platform() {
  const waited: Promise<unknown>[] = []
  const ended: string[] = []
  const background = createBackground((work) => {
    waited.push(work)
    work.then(
      () => ended.push("done"),
      (error: Error) => ended.push(error.message),
    )
  })
  const isSettled = async () => new Promise(setImmediate)
  return { waited, ended, background, isSettled }
}

test("the platform waits once for work that overlaps, until the last of it", async () => {
  const { waited, ended, background, isSettled } = platform()
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  background(first.promise)
  background(second.promise)
  expect(waited).toHaveLength(1)
  first.resolve()
  await isSettled()
  expect(ended).toEqual([])
  second.resolve()
  await isSettled()
  expect(ended).toEqual(["done"])
})

test("work that starts work is waited for as a whole", async () => {
  const { waited, ended, background, isSettled } = platform()
  const last = Promise.withResolvers<void>()
  background(Promise.resolve().then(() => background(last.promise)))
  await isSettled()
  expect([waited.length, ended]).toEqual([1, []])
  last.resolve()
  await isSettled()
  expect(ended).toEqual(["done"])
})

test("later work is waited for again", async () => {
  const { waited, ended, background, isSettled } = platform()
  background(Promise.resolve())
  await isSettled()
  background(Promise.resolve())
  await isSettled()
  expect([waited.length, ended]).toEqual([2, ["done", "done"]])
})

test("the platform sees failed work, and waits for the rest", async () => {
  const { ended, background, isSettled } = platform()
  const rest = Promise.withResolvers<void>()
  background(Promise.reject(new Error("broken")))
  background(rest.promise)
  await isSettled()
  expect(ended).toEqual(["broken"])
  rest.resolve()
  await isSettled()
  expect(ended).toEqual(["broken", "done"])
})

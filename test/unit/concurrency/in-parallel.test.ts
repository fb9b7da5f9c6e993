import { expect, test } from "vitest"
import { inParallel } from "../../../src/concurrency/in-parallel.ts"

const ITEMS = Array.from({ length: 20 }, (_, n) => n)
const turn = () => new Promise((resolve) => setImmediate(resolve))

test("every item is processed once, within the limit of parallel work", async () => {
  const done: number[] = []
  let [now, most] = [0, 0]
  await inParallel(ITEMS, 3, async (item) => {
    most = Math.max(most, ++now)
    await turn()
    now--
    done.push(item)
  })
  expect([done.toSorted((a, b) => a - b), most]).toEqual([ITEMS, 3])
})

test("the first failure is thrown, and no item starts after it", async () => {
  const begun: number[] = []
  const working = inParallel(ITEMS, 3, async (item) => {
    begun.push(item)
    await turn()
    if (item === 4) throw new Error("no more")
  })
  await expect(working).rejects.toThrow("no more")
  const atFailure = begun.length
  for (const _ of ITEMS) await turn()
  expect(begun.length).toBe(atFailure)
})

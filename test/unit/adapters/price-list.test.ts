import { expect, test } from "vitest"
import { currentPrices, newPriceMemory, type PriceList } from "../../../src/adapters/price-list.ts"

const MINUTE = 60_000
const PRO: PriceList = { pro: { unitAmount: 4_900, currency: "eur", interval: "month" } }
const DEARER: PriceList = { pro: { unitAmount: 5_900, currency: "eur", interval: "month" } }

/** Prices whose processor gives one answer after the other; null is a failure. */
function reader(...answers: (PriceList | null)[]) {
  const memory = newPriceMemory()
  const calls = { count: 0 }
  const read = async () => {
    const answer = answers[calls.count++]
    if (!answer) throw new Error("no answer")
    return answer
  }
  return { calls, at: (ms: number) => currentPrices({ memory, now: () => ms + MINUTE, read }) }
}

test("prices are read once an hour", async () => {
  const { at, calls } = reader(PRO, DEARER)
  expect([await at(0), await at(59 * MINUTE), await at(60 * MINUTE)]).toEqual([PRO, PRO, DEARER])
  expect(calls.count).toBe(2)
})

test("after a failure the last known prices count, and the next attempt is a minute later", async () => {
  const { at, calls } = reader(PRO, null, DEARER)
  await at(0)
  expect([await at(60 * MINUTE), await at(60 * MINUTE + 1), await at(61 * MINUTE)]).toEqual([PRO, PRO, DEARER])
  expect(calls.count).toBe(3)
})

test("a flood of requests is one call, also before any price is known", async () => {
  const { at, calls } = reader(PRO)
  const all = await Promise.all(Array.from({ length: 50 }, () => at(0)))
  expect(calls.count).toBe(1)
  expect(all[0]).toEqual(PRO)
  expect(all.slice(1)).toEqual(Array(49).fill({}))
})

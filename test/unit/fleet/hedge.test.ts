import { expect, test } from "vitest"
import { Hedge } from "../../../src/domain/fleet/hedge.ts"

test("waits for the 95th percentile of the answer times, within bounds", () => {
  const hedge = new Hedge()
  expect(hedge.delayMs("op")).toBe(4_000)
  for (let ms = 1_000; ms >= 10; ms -= 10) hedge.recordAnswerTime("op", ms)
  expect(hedge.delayMs("op")).toBe(610) // of the last 64
  // An unknown operator uses the times of all operators.
  expect(hedge.delayMs("unheard-of")).toBe(hedge.delayMs("op"))
  for (let i = 0; i < 64; i++) hedge.recordAnswerTime("quick", 5)
  expect(hedge.delayMs("quick")).toBe(300)
  for (let i = 0; i < 64; i++) hedge.recordAnswerTime("slow", 50_000)
  expect(hedge.delayMs("slow")).toBe(10_000)
  for (let i = 0; i < 20; i++) {
    expect(hedge.delayMs("few")).toBe(10_000) // the times of all operators
    hedge.recordAnswerTime("few", 700)
  }
  expect(hedge.delayMs("few")).toBe(700)
})

test("hedges at most one request in twenty", () => {
  const hedge = new Hedge()
  let taken = 0
  for (let i = 0; i < 10_000; i++) {
    hedge.recordRequest()
    if (hedge.reserve()) taken++
  }
  expect(taken).toBeLessThanOrEqual(510)
  expect(taken).toBeGreaterThan(490)
})

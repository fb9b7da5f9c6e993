import { describe, expect, test } from "vitest"
import { allowance } from "../../../probe-node/ip-reputation.ts"

const FIRST_DAY = Date.UTC(2026, 10, 1)
const day = (number: number) => FIRST_DAY + number * 86_400_000

describe("allowance of a source IP", () => {
  test.each([
    ["no limit", null, null, 0, Number.POSITIVE_INFINITY],
    ["a warm IP", 10_000, null, 0, 10_000],
    ["the day before the first", 10_000, FIRST_DAY, -1, 200],
    ["the first day", 10_000, FIRST_DAY, 0, 200],
    ["the second day", 10_000, FIRST_DAY, 1, 270],
    ["the tenth day", 10_000, FIRST_DAY, 9, 2_978],
    ["when the curve meets the budget", 10_000, FIRST_DAY, 14, 10_000],
    ["a month later, without a budget", null, FIRST_DAY, 30, Number.POSITIVE_INFINITY],
  ])("%s", (_, perDay, warmUpFromMs, number, expected) => {
    expect(allowance({ perDay, warmUpFromMs }, day(number))).toBe(expected)
  })

  test("never falls while the IP warms up", () => {
    const days = Array.from({ length: 40 }, (_, number) =>
      allowance({ perDay: 50_000, warmUpFromMs: FIRST_DAY }, day(number)),
    )
    expect(days).toEqual(days.toSorted((one, other) => one - other))
  })
})

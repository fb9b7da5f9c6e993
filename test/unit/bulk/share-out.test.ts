import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { shareOut, type WaitingJob } from "../../../src/domain/bulk/share-out.ts"

const job = (jobId: string, lane: string, ready: number, inFlight = 0): WaitingJob => ({ jobId, lane, ready, inFlight })

describe("chunks are shared out among accounts", () => {
  test.each([
    ["one account alone leaves room for a newcomer", [job("a", "A", 99)], { a: 6 }],
    ["a newcomer is served although the other has all it may", [job("a", "A", 99, 6), job("b", "B", 1)], { b: 1 }],
    [
      "two accounts get the same, whatever the size of their jobs",
      [job("a", "A", 999), job("b", "B", 4)],
      { a: 4, b: 4 },
    ],
    [
      "many jobs do not get an account more",
      [job("a", "A", 9), job("a2", "A", 9), job("b", "B", 9)],
      { a: 2, a2: 2, b: 4 },
    ],
    ["whoever has less in flight comes first", [job("a", "A", 9, 3), job("b", "B", 9)], { a: 1, b: 4 }],
    ["nothing is ready, nothing goes out", [job("a", "A", 0, 2)], {}],
  ])("%s", (_, jobs, shares) => {
    expect(Object.fromEntries(shareOut(jobs, { total: 8, perLane: 6 }))).toEqual(shares)
  })

  test("never more than the room, the lane's part and what is ready; and no room is left unused for nothing", () => {
    const jobs = fc.array(fc.record({ lane: fc.constantFrom("A", "B", "C"), ready: fc.nat(12), inFlight: fc.nat(5) }), {
      maxLength: 8,
    })
    fc.assert(
      fc.property(jobs, fc.nat(20), fc.nat(12), (list, total, perLane) => {
        const waiting = list.map((one, n) => ({ ...one, jobId: `job${n}` }))
        const shares = shareOut(waiting, { total, perLane })
        const given = (one: WaitingJob) => shares.get(one.jobId) ?? 0
        const sum = (jobs: readonly WaitingJob[], of: (one: WaitingJob) => number) =>
          jobs.reduce((all, one) => all + of(one), 0)
        for (const one of waiting) expect(given(one)).toBeLessThanOrEqual(one.ready)
        for (const lane of ["A", "B", "C"]) {
          const own = waiting.filter((one) => one.lane === lane)
          const before = sum(own, ({ inFlight }) => inFlight)
          expect(before + sum(own, given)).toBeLessThanOrEqual(Math.max(before, perLane))
        }
        const used = sum(waiting, ({ inFlight }) => inFlight) + sum(waiting, given)
        const hungry = waiting.some((one) => {
          const own = waiting.filter(({ lane }) => lane === one.lane)
          return given(one) < one.ready && sum(own, ({ inFlight }) => inFlight) + sum(own, given) < perLane
        })
        expect(used >= total || !hungry).toBe(true)
      }),
    )
  })
})

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { allocateChunks, type WaitingJob } from "../../../src/domain/lists/job.ts"

const job = (jobId: string, queueKey: string, ready: number, inFlight = 0, weight = 1): WaitingJob => ({
  jobId,
  queueKey,
  weight,
  ready,
  inFlight,
})

describe("the fair queue of chunks", () => {
  test.each([
    ["one account alone leaves space for a new account", [job("a", "A", 99)], { a: 6 }],
    ["a new account is served while another one is at its limit", [job("a", "A", 99, 6), job("b", "B", 1)], { b: 1 }],
    [
      "two accounts get equal shares, whatever the size of their jobs",
      [job("a", "A", 999), job("b", "B", 4)],
      { a: 4, b: 4 },
    ],
    [
      "many jobs do not increase an account's share",
      [job("a", "A", 9), job("a2", "A", 9), job("b", "B", 9)],
      { a: 2, a2: 2, b: 4 },
    ],
    ["the account with fewer chunks in flight comes first", [job("a", "A", 9, 3), job("b", "B", 9)], { a: 1, b: 4 }],
    ["a Pro account gets twice the share of a Free one", [job("f", "F", 9), job("p", "P", 9, 0, 2)], { f: 3, p: 5 }],
    [
      "a Pro list that comes after the full lists of others gets the next free chunks",
      [job("a", "A", 99, 3), job("b", "B", 99, 3), job("p", "P", 99, 0, 2)],
      { p: 2 },
    ],
    ["a Free account beside Pro accounts is served too", [job("p", "P", 99, 5, 2), job("f", "F", 9)], { f: 3 }],
    ["nothing is dispatched when nothing is ready", [job("a", "A", 0, 2)], {}],
  ])("%s", (_, jobs, shares) => {
    expect(Object.fromEntries(allocateChunks(jobs, { total: 8, perQueue: 6 }))).toEqual(shares)
  })

  test("shares never exceed the total, the queue key's limit or the ready chunks, and use all available space", () => {
    const jobs = fc.array(
      fc.record({
        queueKey: fc.constantFrom("A", "B", "C"),
        ready: fc.nat(12),
        inFlight: fc.nat(5),
        weight: fc.constantFrom(1, 2),
      }),
      {
        maxLength: 8,
      },
    )
    fc.assert(
      fc.property(jobs, fc.nat(20), fc.nat(12), (list, total, perQueue) => {
        const waiting = list.map((one, n) => ({ ...one, jobId: `job${n}` }))
        const shares = allocateChunks(waiting, { total, perQueue })
        const given = (one: WaitingJob) => shares.get(one.jobId) ?? 0
        const sum = (jobs: readonly WaitingJob[], of: (one: WaitingJob) => number) =>
          jobs.reduce((all, one) => all + of(one), 0)
        for (const one of waiting) expect(given(one)).toBeLessThanOrEqual(one.ready)
        for (const queueKey of ["A", "B", "C"]) {
          const own = waiting.filter((one) => one.queueKey === queueKey)
          const before = sum(own, ({ inFlight }) => inFlight)
          expect(before + sum(own, given)).toBeLessThanOrEqual(Math.max(before, perQueue))
        }
        const used = sum(waiting, ({ inFlight }) => inFlight) + sum(waiting, given)
        const hungry = waiting.some((one) => {
          const own = waiting.filter(({ queueKey }) => queueKey === one.queueKey)
          return given(one) < one.ready && sum(own, ({ inFlight }) => inFlight) + sum(own, given) < perQueue
        })
        expect(used >= total || !hungry).toBe(true)
      }),
    )
  })
})

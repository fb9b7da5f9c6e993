import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { parseAddress } from "../../../src/domain/address/parse.ts"
import { dispatchOrderOf, estimateSeconds, type Pace, split } from "../../../src/domain/lists/job.ts"
import { AddressReader, mailboxOf, withoutDuplicates } from "../../../src/domain/lists/list-addresses.ts"
import { allocate, project, sampleSize } from "../../../src/domain/lists/sample-plan.ts"
import { wilson } from "../../../src/domain/wilson.ts"

test("due times scatter neighboring chunks, and all are before the job's creation", () => {
  const turns = Array.from({ length: 1_000 }, (_, chunk) => dispatchOrderOf(chunk, 5_000))
  for (const turn of turns) expect(turn).toBeGreaterThanOrEqual(4_000)
  for (const turn of turns) expect(turn).toBeLessThan(5_000)
  const near = turns.slice(1).filter((turn, n) => Math.abs(turn - turns[n]!) < 100)
  expect(near).toEqual([])
})

test("a list is split into runs that contain all of it, in order", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(), { maxLength: 60 }),
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 20 }),
      (list, parts, atLeast) => {
        const runs = split(list, { parts, atLeast })
        expect(runs.flat()).toEqual(list)
        expect(runs.length).toBeLessThanOrEqual(parts)
        if (runs.length > 1) for (const run of runs.slice(0, -1)) expect(run.length).toBeGreaterThanOrEqual(atLeast)
      },
    ),
  )
})

test("duplicates are found by mailbox in any letter case; the first spelling remains", () => {
  const entries = ["Alice@x.test", "alice@X.test", "bob@x.test", "nonsense", "nonsense", "Nonsense"]
  const left = withoutDuplicates(entries.map((email) => ({ email, address: parseAddress(email) })))
  expect(left.map(({ email, rows }) => [email, rows])).toEqual([
    ["Alice@x.test", [0, 1]],
    ["bob@x.test", [2]],
    ["nonsense", [3, 4]],
    ["Nonsense", [5]],
  ])
})

describe("a sample", () => {
  test.each([
    [1, 1],
    [29, 29],
    [500, 30],
    [10_000, 100],
    [1_000_000, 1_000],
    [50_000_000, 1_000],
  ])("of %i addresses has %i", (n, size) => {
    expect(sampleSize(n)).toBe(size)
  })

  test("is allocated in proportion, at least one per stratum, never more than its size", () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 400 }), (sizes, sample) => {
        const strata = sizes.map((size, n) => ({ name: String(n), size })).toSorted((a, b) => b.size - a.size)
        const counts = allocate(strata, sample)
        const total = sizes.reduce((sum, size) => sum + size, 0)
        expect(counts.reduce((sum, n) => sum + n, 0)).toBe(Math.min(sample, total))
        for (const [n, count] of counts.entries()) {
          expect(count).toBeLessThanOrEqual(strata[n]!.size)
          if (sample >= strata.length) expect(count).toBeGreaterThanOrEqual(1)
        }
      }),
    )
  })

  /** Reference values of the Wilson score interval at 95 %, computed independently. */
  test.each([
    [0.5, 10, 0.2366, 0.7634],
    [0.1, 100, 0.0552, 0.1744],
    [0, 30, 0, 0.1135],
    [1, 30, 0.8865, 1],
  ])("has the Wilson interval: %d of %i", (share, n, low, high) => {
    const interval = wilson(share * n, n)
    expect(interval.low).toBeCloseTo(low, 3)
    expect(interval.high).toBeCloseTo(high, 3)
  })

  test("weighs each stratum by its size", () => {
    const sampled = [
      { size: 900, statuses: ["valid", "valid", "valid", "invalid"] as const },
      { size: 100, statuses: ["unknown"] as const },
    ]
    const shares = Object.fromEntries(
      project(sampled, ["valid", "invalid", "unknown"]).map(({ status, share }) => [status, share]),
    )
    expect(shares).toEqual({ valid: 0.675, invalid: 0.225, unknown: 0.1 })
  })

  test("a fully sampled list has exact shares", () => {
    const all = [{ size: 3, statuses: ["valid", "valid", "invalid"] as const }]
    for (const { share, low, high } of project(all, ["valid", "invalid", "unknown"])) {
      expect(low).toBe(share)
      expect(high).toBe(share)
    }
  })
})

test("an address of a list is parsed as alone, also when the reader has seen more addresses than it caches", () => {
  const reader = new AddressReader()
  const texts = Array.from({ length: 2_500 }, (_, n) => (n % 7 === 0 ? `none ${n}` : `User${n}@d${n % 3}.test`))
  for (const text of [...texts, ...texts.toReversed()]) {
    const address = parseAddress(text)
    expect(reader.read(text)).toEqual({ mailbox: mailboxOf(address), domain: address.ok ? address.domain : "" })
  }
})

test("a long international address in every row is parsed once", () => {
  const long = `a@${`${"漢".repeat(30)}.`.repeat(8)}test`
  const reader = new AddressReader()
  const first = reader.read(long)
  for (let row = 0; row < 200; row++) expect(reader.read(long)).toBe(first)
})

const NOW = 1_000_000_000
const SECOND = 1_000

const started = (seconds: number) => NOW - seconds * SECOND
const START: Pace = {
  ...{ total: 3_000, done: 0, startedAt: null, firstPassAt: null, lastRetryAt: null, isBusy: true, endsAt: null },
}

test.each<[string, Partial<Pace>, number]>([
  ["before the start, at the usual pace", {}, 10],
  ["too early for a pace of its own", { startedAt: started(1), done: 10 }, 10],
  ["at its own pace", { startedAt: started(20), done: 1_000 }, 40],
  ["with the last addresses behind slow servers", { startedAt: started(20), done: 2_999 }, 1],
  [
    "with only retries left, until the last planned one",
    { startedAt: started(300), firstPassAt: started(290), done: 2_999, isBusy: false, lastRetryAt: NOW + 60 * SECOND },
    65,
  ],
  [
    "with a wait for retries, which is no work",
    { startedAt: started(300), firstPassAt: started(290), done: 2_000, lastRetryAt: NOW + 1_000 },
    6,
  ],
  [
    "with work that takes longer than the wait for a retry",
    { startedAt: started(20), done: 1_000, lastRetryAt: NOW + 10 * SECOND },
    40,
  ],
  ["with finish_within before that", { startedAt: started(20), done: 1_000, endsAt: NOW + 7 * SECOND }, 7],
  ["with finish_within that is over", { startedAt: started(20), done: 1_000, endsAt: NOW - SECOND }, 1],
])("the rest of a job is estimated %s", (_, pace, seconds) => {
  expect(estimateSeconds({ ...START, ...pace }, NOW)).toBe(seconds)
})

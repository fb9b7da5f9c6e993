import { expect, test } from "vitest"
import { estimateSeconds, type Pace } from "../../../src/domain/bulk/progress.ts"

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

import { expect, test } from "vitest"
import type { DoneItem } from "../../../src/adapters/store/lists/jobs.ts"
import { parseAddress } from "../../../src/domain/address/parse.ts"
import { noEvidence } from "../../../src/domain/verification/evidence.ts"
import { jobItems, jobPage } from "../../../src/services/lists/job-results.ts"
import { testContext } from "../../support/deps/context.ts"

const JOB = { jobId: "job_1", accountId: "acct_1" }
const MALFORMED = noEvidence(parseAddress("broken"))
const OPEN = ["a@mailbox.test", "b@mailbox.test"].map((email) => noEvidence(parseAddress(email)))

/** A job of `total` unprobed addresses, in which every item of `broken` is malformed. */
function jobOf(total: number, broken: readonly number[]) {
  let reads = 0
  const items = async (_: string, { afterIdx, limit }: { afterIdx: number; limit: number }) => {
    const first = afterIdx + 1
    const count = Math.max(0, Math.min(limit, total - first))
    reads += count
    return Array.from({ length: count }, (_, n) => itemAt(first + n, broken))
  }
  const store = { jobs: { items }, suppressions: { haveFlags: async () => false } }
  return { ctx: testContext({ store, clock: { now: () => 0 } } as never), reads: () => reads }
}

function itemAt(idx: number, broken: readonly number[]): DoneItem {
  const evidence = broken.includes(idx) ? MALFORMED : OPEN[idx % OPEN.length]
  return { idx, evidence, cached: false, verifiedAt: 0 } as unknown as DoneItem
}

test.each([
  ["all of a page", 3, [0, 1, 2, 3, 4], undefined, [0, 1, 2], "2"],
  ["the rest", 3, [0, 1, 2, 3, 4], "2", [3, 4], null],
  ["as many as fit, before the end is read", 2, [0, 1, 2, 3, 4], "2", [3, 4], "502"],
  ["matches far apart", 2, [3, 1_200, 1_900], undefined, [3, 1_200], "1499"],
  ["the last match", 2, [3, 1_200, 1_900], "1200", [1_900], null],
  ["no match", 2, [], undefined, [], null],
])("a page with a filter has %s", async (_, limit, broken, cursor, expected, next) => {
  const { ctx } = jobOf(2_000, broken)
  const { items, nextCursor } = await jobPage(ctx, JOB, { cursor, limit, filter: "invalid" })
  expect([items.map(({ idx }) => idx), nextCursor]).toEqual([expected, next])
})

test("a page with a filter reads a bounded number of items, and continues at its cursor", async () => {
  const { ctx, reads } = jobOf(12_000, [7, 11_999])
  const seen: number[] = []
  const cursors: (string | null)[] = []
  for (let cursor: string | null | undefined; cursor !== null && cursors.length < 9; ) {
    const before = reads()
    const { items, nextCursor } = await jobPage(ctx, JOB, { cursor, limit: 100, filter: "invalid" })
    expect(reads() - before).toBeLessThan(5_100)
    seen.push(...items.map(({ idx }) => idx))
    cursors.push(nextCursor)
    cursor = nextCursor
  }
  expect(cursors).toEqual(["4999", "9999", null])
  expect(seen).toEqual([7, 11_999])
})

test("without pages, all matches are streamed, and pages without a match are left out", async () => {
  const { ctx } = jobOf(2_000, [3, 1_999])
  const pages: number[][] = []
  for await (const page of jobItems(ctx, JOB, "invalid")) pages.push(page.map(({ idx }) => idx))
  expect(pages).toEqual([[3], [1_999]])
})

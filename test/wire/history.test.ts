import { afterAll, beforeAll, expect, test } from "vitest"
import { createHistoryStore, type HistoryEntry } from "../../src/adapters/store/accounts/history.ts"
import { startDatabase } from "../support/stack/database.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

const DAY = "2026-11-22"
const NOON = Date.parse(`${DAY}T12:00:00Z`)
const answer = (address: string, more: Partial<HistoryEntry> = {}): HistoryEntry => ({
  ...{ address, domain: "mailbox.test", status: "valid", score: 90, cached: false, canSend: true, checks: {} },
  ...more,
})

test("answers are counted by day, status and source, with or without a history entry", async () => {
  const history = createHistoryStore(server.open())
  const asker = { accountId: "acc_counted", keyId: "kid_counted" }
  const answers = [answer("a@mailbox.test"), answer("b@mailbox.test"), answer("c@mailbox.test", { cached: true })]
  await history.record(
    asker,
    [...answers, answer("d@mailbox.test", { status: "invalid", score: 10, canSend: false })],
    NOON,
  )
  await history.count(asker, answers, NOON)
  await history.count(asker, answers.slice(0, 1), NOON + 86_400_000)
  await history.count(asker, [], NOON)
  await history.record(asker, [], NOON)
  const counts = await history.countsSince("acc_counted", DAY)
  expect(counts.map(({ day, status, ...row }) => [day, status, ...Object.values(row)]).toSorted()).toEqual([
    [DAY, "invalid", false, 1, 10, 0],
    [DAY, "valid", false, 4, 360, 4],
    [DAY, "valid", true, 2, 180, 2],
    ["2026-11-23", "valid", false, 1, 90, 1],
  ])
  expect(await history.ofKey("kid_counted", DAY)).toEqual([
    { day: DAY, count: 7 },
    { day: "2026-11-23", count: 1 },
  ])
  expect(await history.total("acc_counted")).toBe(4)
  const recent = await history.recent("acc_counted", {
    limit: 10,
    offset: 0,
    before: Number.MAX_SAFE_INTEGER,
  })
  expect(recent.map(({ address }) => address[0])).toEqual(["d", "c", "b", "a"])
})

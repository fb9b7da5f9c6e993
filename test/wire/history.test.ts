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
  ...{ address, domain: "mailbox.test", status: "valid", score: 90, cached: false, checks: {} },
  ...more,
})

test("answers are counted by day, status and source, with or without a history entry", async () => {
  const history = createHistoryStore(server.open())
  const answers = [answer("a@mailbox.test"), answer("b@mailbox.test"), answer("c@mailbox.test", { cached: true })]
  await history.record("acc_counted", [...answers, answer("d@mailbox.test", { status: "invalid" })], NOON)
  await history.count("acc_counted", answers, NOON)
  await history.count("acc_counted", answers.slice(0, 1), NOON + 86_400_000)
  await history.count("acc_counted", [], NOON)
  await history.record("acc_counted", [], NOON)
  const counts = await history.countsSince("acc_counted", DAY)
  expect(counts.map(({ day, status, cached, count }) => [day, status, cached, count]).toSorted()).toEqual([
    [DAY, "invalid", false, 1],
    [DAY, "valid", false, 4],
    [DAY, "valid", true, 2],
    ["2026-11-23", "valid", false, 1],
  ])
  const recent = await history.recent("acc_counted", { limit: 10, offset: 0 })
  expect(recent.map(({ address }) => address[0])).toEqual(["d", "c", "b", "a"])
})

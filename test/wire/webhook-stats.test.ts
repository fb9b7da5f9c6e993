import { sql } from "drizzle-orm"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createWebhookDeliveryStore } from "../../src/adapters/store/webhook-deliveries.ts"
import { createWebhookStatsStore } from "../../src/adapters/store/webhook-stats.ts"
import { cpuRatio } from "../support/cpu.ts"
import { startDatabase } from "../support/database.ts"
import { scanned, statementsOf } from "../support/query-plan.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

/** Events of an account, each attempted twice: refused in its own second, delivered half a second later. */
async function tell(account: string, { events, receivers }: { events: number; receivers: number }) {
  const [rows, numbers] = [server.open(), JSON.stringify(Array.from({ length: events }, (_, n) => n))]
  await rows.run(sql`INSERT INTO outbound_events (event_id, account_id, type, url, payload, state, created_at, due_at)
    SELECT ${account} || value, ${account}, 't', 'https://hooks.test/' || (value % CAST(${receivers} AS int)), '{}',
      'delivered', value * 1000, value * 1000 FROM json_each(${numbers})`)
  await rows.run(sql`INSERT INTO webhook_attempts (event_id, attempt, outcome, http_status, started_at, duration_ms)
    SELECT ${account} || e.value, a.value, iif(a.value = 1, 'refused', 'delivered'), iif(a.value = 1, 500, 200),
      e.value * 1000 + 500 * (a.value - 1), 1 FROM json_each(${numbers}) AS e, json_each('[1, 2]') AS a`)
}

test("each receiver's last attempt is told with how it ended, and costs no more where there are many", async () => {
  await tell("few", { events: 10_000, receivers: 1 })
  await tell("many", { events: 10_000, receivers: 100 })
  const stats = createWebhookStatsStore(server.open())
  const endpoints = await stats.endpoints("many", 100)
  expect(endpoints).toHaveLength(100)
  expect(endpoints[0]).toMatchObject({
    events: { pending: 0, delivered: 100, failed: 0, disabled: 0 },
    ...{ lastAttemptAt: 9_999_500, lastOutcome: "delivered", lastHttpStatus: 200 },
  })
  const ratio = await cpuRatio(
    () => stats.endpoints("many", 100),
    () => stats.endpoints("few", 100),
  )
  expect(ratio).toBeLessThan(4)
})

test("what is not yet old is not looked through to forget what is", async () => {
  const sent = await statementsOf(server, (database) => createWebhookDeliveryStore(database).forget(1))
  expect(sent.filter((one) => one.startsWith("DELETE"))).toHaveLength(2)
  expect(sent.flatMap((one) => scanned(server, one))).toEqual([])
})

import { sql } from "drizzle-orm"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createWebhookDeliveryStore } from "../../src/adapters/store/webhooks/webhook-deliveries.ts"
import { createWebhookStatsStore } from "../../src/adapters/store/webhooks/webhook-endpoints.ts"
import { plansOf, scanned, statementsOf } from "../support/source/query-plan.ts"
import { startDatabase } from "../support/stack/database.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
})
afterAll(() => server.stop())

/** Events of an account with two attempts each: refused at once, delivered half a second later. */
async function addEvents(account: string, { events, receivers }: { events: number; receivers: number }) {
  const [rows, numbers] = [server.open(), JSON.stringify(Array.from({ length: events }, (_, n) => n))]
  await rows.run(sql`INSERT INTO outbound_events (event_id, account_id, type, url, payload, state, created_at, due_at)
    SELECT ${account} || value, ${account}, 't', 'https://hooks.test/' || (value % CAST(${receivers} AS int)), '{}',
      'delivered', value * 1000, value * 1000 FROM json_each(${numbers})`)
  await rows.run(sql`INSERT INTO webhook_attempts (event_id, attempt, outcome, http_status, started_at, duration_ms)
    SELECT ${account} || e.value, a.value, iif(a.value = 1, 'refused', 'delivered'), iif(a.value = 1, 500, 200),
      e.value * 1000 + 500 * (a.value - 1), 1 FROM json_each(${numbers}) AS e, json_each('[1, 2]') AS a`)
}

test("the last attempt of each receiver is reported with its outcome, and each event is read once", async () => {
  await addEvents("many", { events: 10_000, receivers: 100 })
  const stats = createWebhookStatsStore(server.open())
  const endpoints = await stats.endpoints("many", 100)
  expect(endpoints).toHaveLength(100)
  expect(endpoints[0]).toMatchObject({
    events: { pending: 0, delivered: 100, failed: 0, disabled: 0 },
    ...{ lastAttemptAt: 9_999_500, lastOutcome: "delivered", lastHttpStatus: 200 },
  })
  const sent = await statementsOf(server, (database) => createWebhookStatsStore(database).endpoints("many", 100))
  const plan = await plansOf(server, sent)
  expect(plan.filter((step) => step.includes("outbound_events"))).toHaveLength(1)
  expect(plan.filter((step) => step.includes("webhook_attempts"))).toHaveLength(1)
  expect(plan.filter((step) => step.includes("CORRELATED") || /^SCAN a\b/.test(step))).toEqual([])
})

test("deleting old events does not scan newer ones", async () => {
  const sent = await statementsOf(server, (database) => createWebhookDeliveryStore(database).deleteBefore(1))
  expect(sent.filter((one) => one.startsWith("DELETE"))).toHaveLength(2)
  expect(await scanned(server, sent)).toEqual([])
})

import { afterAll, beforeAll, expect, test } from "vitest"
import { createUnconfirmedKeyStore } from "../../src/adapters/store/accounts/unclaimed-accounts.ts"
import { createCounterStore } from "../../src/adapters/store/admin/counters.ts"
import { createOperatorStore } from "../../src/adapters/store/admin/operator.ts"
import { createAccountErasureStore } from "../../src/adapters/store/compliance/erasure.ts"
import type { Database } from "../../src/adapters/store/database.ts"
import { createSyncStore } from "../../src/adapters/store/integrations/integration-syncs.ts"
import { createJobStore } from "../../src/adapters/store/lists/jobs.ts"
import { createBreachStore } from "../../src/adapters/store/signals/breaches.ts"
import { plansOf, scanned, statementsOf } from "../support/source/query-plan.ts"
import { startDatabase } from "../support/stack/database.ts"

let server: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  server = await startDatabase()
  await createBreachStore(server.open()).add([{ digest: "d", breach: "Forum" }])
})
afterAll(() => server.stop())

test.each<[string, (database: Database) => Promise<unknown>]>([
  [
    "counting an imported breach",
    (database) => createBreachStore(database).saveSet({ name: "Forum", breachedOn: null, importedAt: 1 }),
  ],
  [
    "searching results by status",
    (database) => createOperatorStore(database).search({ status: "invalid", limit: 10, offset: 0 }),
  ],
  [
    "listing the unconfirmed keys of a mailbox",
    (database) => createUnconfirmedKeyStore(database).list({ email: "a@b.test", signInKeyId: "kid" }, 100),
  ],
  [
    "counting the unconfirmed keys of a mailbox",
    (database) => createUnconfirmedKeyStore(database).count({ email: "a@b.test", signInKeyId: null }, 100),
  ],
  ["counting the rows of an account", (database) => createCounterStore(database).rowsOf("acc")],
  ["reading an account's erasures", (database) => createAccountErasureStore(database).since("acc", 1)],
  ["reading the last syncs of an account", (database) => createSyncStore(database).latest("acc")],
])("%s does not scan a long table", async (_, work) => {
  const sent = await statementsOf(server, work)
  expect(sent.length).toBeGreaterThan(0)
  expect(await scanned(server, sent)).toEqual([])
})

test("the progress of a job is read without its addresses", async () => {
  const sent = await statementsOf(server, async (database) => {
    await createJobStore(database).find("job", "acc")
    await createJobStore(database).schedules(["job"], 1)
  })
  expect(sent).toHaveLength(2)
  expect(await scanned(server, sent)).toEqual([])
  expect((await plansOf(server, sent)).filter((step) => step.includes("job_items"))).toEqual([])
})

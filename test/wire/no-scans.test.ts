import { afterAll, beforeAll, expect, test } from "vitest"
import { createBreachStore } from "../../src/adapters/store/breaches.ts"
import type { Database } from "../../src/adapters/store/database.ts"
import { createSyncStore } from "../../src/adapters/store/integration-syncs.ts"
import { createOperatorStore } from "../../src/adapters/store/operator.ts"
import { startDatabase } from "../support/database.ts"
import { scanned, statementsOf } from "../support/query-plan.ts"

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
    "searching results of a status",
    (database) => createOperatorStore(database).search({ status: "invalid", limit: 10, offset: 0 }),
  ],
  ["the last syncs of an account", (database) => createSyncStore(database).latest("acc")],
])("%s goes through no long table at once", async (_, work) => {
  const sent = await statementsOf(server, work)
  expect(sent.length).toBeGreaterThan(0)
  expect(sent.flatMap((one) => scanned(server, one))).toEqual([])
})

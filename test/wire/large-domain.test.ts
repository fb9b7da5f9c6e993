import { sql } from "drizzle-orm"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Database } from "../../src/adapters/store/database.ts"
import { createDomainKinds, createNeighborStore } from "../../src/adapters/store/verification/domain-results.ts"
import { scanned, statementsOf } from "../support/source/query-plan.ts"
import { startDatabase } from "../support/stack/database.ts"

/** The mailboxes of a domain that are read at most. */
const MOST = 5_000

let server: Awaited<ReturnType<typeof startDatabase>>
let database: Database

beforeAll(async () => {
  server = await startDatabase()
  database = server.open()
  await fill("some.test", MOST)
  await fill("many.test", 2 * MOST)
})
afterAll(() => server.stop())

/** The last mailbox, and only that, shows that the domain accepts every address. */
async function fill(domain: string, rows: number): Promise<void> {
  const last = 100_000 + rows - 1
  await database.run(sql`INSERT INTO results (address, domain, status, score, evidence, verified_at, expires_at)
    SELECT value || '@' || ${domain}, ${domain}, iif(value = ${last}, 'accept_all', 'valid'), 90, '{}', value, value
    FROM generate_series(100000, ${last})`)
}

test("reading the state of a provider's domain does not read all its mailboxes", async () => {
  const [kinds, neighbors] = [createDomainKinds(database), createNeighborStore(database)]
  expect(await kinds.statuses("many.test")).toEqual({ valid: MOST })
  expect(await kinds.newestDecided("many.test", 2 * MOST)).toHaveLength(MOST)
  expect(await neighbors.locals("many.test", 2 * MOST)).toHaveLength(MOST)
  expect(await neighbors.acceptsEverything("many.test")).toBe(false)
  expect(await neighbors.acceptsEverything("some.test")).toBe(true)
  const sent = await statementsOf(server, async (database) => {
    await createDomainKinds(database).statuses("many.test")
    await createDomainKinds(database).newestDecided("many.test", 20)
    await createNeighborStore(database).locals("many.test", 200)
    await createNeighborStore(database).acceptsEverything("many.test")
  })
  expect(await scanned(server, sent)).toEqual([])
})

test("for a company's domain every mailbox counts, and the newest are its neighbors", async () => {
  expect(await createDomainKinds(database).statuses("some.test")).toEqual({ valid: MOST - 1, accept_all: 1 })
  expect(await createNeighborStore(database).locals("some.test", 2)).toEqual(["104999", "104998"])
})

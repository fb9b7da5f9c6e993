import { sql } from "drizzle-orm"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Database } from "../../src/adapters/store/database.ts"
import { createDomainKinds } from "../../src/adapters/store/domain-kinds.ts"
import { createNeighbourStore } from "../../src/adapters/store/neighbours.ts"
import { cpuRatio } from "../support/cpu.ts"
import { startDatabase } from "../support/database.ts"

/** A domain with so many known mailboxes, and one with forty times as many. */
const SOME = 5_000
const MANY = 40 * SOME

let server: Awaited<ReturnType<typeof startDatabase>>
let database: Database

beforeAll(async () => {
  server = await startDatabase()
  database = server.open()
  await fill("some.test", SOME)
  await fill("many.test", MANY)
})
afterAll(() => server.stop())

async function fill(domain: string, rows: number): Promise<void> {
  await database.run(sql`INSERT INTO results (address, domain, status, score, evidence, verified_at, expires_at)
    SELECT value || '@' || ${domain}, ${domain}, 'valid', 90, '{}', value, value
    FROM generate_series(100000, ${100_000 + rows - 1})`)
}

test("what is known of a provider's domain is told without looking at all its mailboxes", async () => {
  const kinds = createDomainKinds(database)
  const neighbours = createNeighbourStore(database)
  for (const look of [
    (domain: string) => kinds.statuses(domain),
    (domain: string) => neighbours.locals(domain, 200),
    (domain: string) => neighbours.acceptsEverything(domain),
  ])
    expect(
      await cpuRatio(
        () => look("many.test"),
        () => look("some.test"),
      ),
    ).toBeLessThan(4)
})

test("of a company's domain every mailbox counts, and the newest are its neighbours", async () => {
  expect(await createDomainKinds(database).statuses("some.test")).toEqual({ valid: SOME })
  expect(await createNeighbourStore(database).locals("some.test", 2)).toEqual(["104999", "104998"])
})

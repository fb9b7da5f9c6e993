import { sql } from "drizzle-orm"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Database } from "../../src/adapters/store/database.ts"
import { createDomainKinds } from "../../src/adapters/store/results/domain-kinds.ts"
import { createNeighborStore } from "../../src/adapters/store/results/neighbors.ts"
import { cpuRatio } from "../support/stack/cpu.ts"
import { startDatabase } from "../support/stack/database.ts"

/** A domain with this many known mailboxes, and one with forty times as many. */
const SOME = 5_000
const MANY = 40 * SOME
const SLICE = 20_000

let server: Awaited<ReturnType<typeof startDatabase>>
let database: Database

beforeAll(async () => {
  server = await startDatabase()
  database = server.open()
  await fill("some.test", SOME)
  await fill("many.test", MANY)
})
afterAll(() => server.stop())

/** In slices, because a statement must end within the database's time limit. */
async function fill(domain: string, rows: number): Promise<void> {
  for (let first = 100_000; first < 100_000 + rows; first += SLICE)
    await database.run(sql`INSERT INTO results (address, domain, status, score, evidence, verified_at, expires_at)
      SELECT value || '@' || ${domain}, ${domain}, 'valid', 90, '{}', value, value
      FROM generate_series(${first}, ${Math.min(first + SLICE, 100_000 + rows) - 1})`)
}

test("reading the state of a provider's domain does not scan all its mailboxes", async () => {
  const kinds = createDomainKinds(database)
  const neighbors = createNeighborStore(database)
  for (const read of [
    (domain: string) => kinds.statuses(domain),
    (domain: string) => kinds.newestDecided(domain, 20),
    (domain: string) => neighbors.locals(domain, 200),
    (domain: string) => neighbors.acceptsEverything(domain),
  ])
    expect(
      await cpuRatio(
        () => read("many.test"),
        () => read("some.test"),
      ),
    ).toBeLessThan(4)
})

test("for a company's domain every mailbox counts, and the newest are its neighbors", async () => {
  expect(await createDomainKinds(database).statuses("some.test")).toEqual({ valid: SOME })
  expect(await createNeighborStore(database).locals("some.test", 2)).toEqual(["104999", "104998"])
})

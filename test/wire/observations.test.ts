import { sql } from "drizzle-orm"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Tier } from "../../schema/vocabulary.ts"
import { createKeyStore } from "../../src/adapters/store/accounts/keys.ts"
import type { Database } from "../../src/adapters/store/database.ts"
import { createObservationStore } from "../../src/adapters/store/learning/observations.ts"
import { plansOf, statementsOf } from "../support/source/query-plan.ts"
import { startDatabase } from "../support/stack/database.ts"

type Started = Awaited<ReturnType<typeof startDatabase>>

const AT_ONCE = 5_000

/** Facts of one account, one per second from a given time. */
async function addFacts(database: Database, account: string, { count, from }: { count: number; from: number }) {
  for (let first = 0; first < count; first += AT_ONCE)
    await database.run(sql`WITH RECURSIVE numbers (n) AS (
        SELECT ${first} UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${Math.min(count, first + AT_ONCE)})
      INSERT INTO feedback (event_key, account_id, address_hash, domain, kind, source, at, recorded_at, batch)
      SELECT ${account} || n, ${account}, 'hash', 'mailbox.test', 'delivered', 'test', 1, ${from} + n * 1000, 'b' FROM numbers`)
}

describe("the rows for training", () => {
  let started: Started
  beforeAll(async () => {
    started = await startDatabase()
    const database = started.open()
    await addFacts(database, "acc_loud", { count: 500, from: 10_000_000 })
    await addFacts(database, "acc_usual", { count: 60, from: 20_000_000 })
    await addFacts(database, "acc_quiet", { count: 7, from: 30_000_000 })
    await addFacts(database, "acc_gone", { count: 40, from: 0 })
  })
  afterAll(() => started.stop())

  const selectedRows = async (limit: number) => {
    const database = started.open()
    const rows = await createObservationStore(database).latestRows({ since: 1_000_000, limit })
    const found = await database.all<{ account: string; first: number; n: number }>(
      sql`SELECT account_id AS account, min(recorded_at) AS first, count(*) AS n FROM feedback
        WHERE rowid IN (SELECT value FROM json_each(${JSON.stringify(rows)})) GROUP BY account_id`,
    )
    expect(new Set(rows).size).toBe(rows.length)
    return Object.fromEntries(found.map(({ account, first, n }) => [account, { first, n }]))
  }

  test("are the latest of each account, and unused shares go to other accounts", async () => {
    expect(await selectedRows(300)).toEqual({
      acc_loud: { n: 233, first: 10_000_000 + (500 - 233) * 1000 },
      acc_usual: { n: 60, first: 20_000_000 },
      acc_quiet: { n: 7, first: 30_000_000 },
    })
  })

  test("are shared equally when there are too many, and complete when there are few", async () => {
    const few = await selectedRows(30)
    expect(
      Object.values(few)
        .map(({ n }) => n)
        .toSorted((a, b) => a - b),
    ).toEqual([7, 11, 12])
    const all = await selectedRows(10_000)
    expect([all.acc_loud?.n, all.acc_usual?.n, all.acc_quiet?.n]).toEqual([500, 60, 7])
  })

  test("are found without a scan or a sort of the whole history", async () => {
    const sent = await statementsOf(started, (database) =>
      createObservationStore(database).latestRows({ since: 0, limit: 100 }),
    )
    expect(sent).toHaveLength(2)
    const plan = await plansOf(started, sent)
    expect(plan.filter((step) => /^SEARCH feedback USING COVERING INDEX/.test(step))).toHaveLength(3)
    expect(plan.filter((step) => /^SCAN feedback|TEMP B-TREE/.test(step))).toEqual([])
  })

  test("are empty without recent feedback", async () => {
    expect(await createObservationStore(started.open()).latestRows({ since: 1e12, limit: 10 })).toEqual([])
  })
})

test("an account is vouched for by a verified mailbox, a plan, or a key above the free tier", async () => {
  const started = await startDatabase()
  try {
    const database = started.open()
    const key = (accountId: string, tier: Tier) =>
      createKeyStore(database).create({
        ...{ keyId: `kid_${accountId}`, digest: accountId, pepperId: "p", accountId, tier },
        ...{
          ownerEmail: "anybody@mailbox.test",
          name: "key",
          createdAt: 1,
          last4: "abcd",
          network: null,
          createdBy: null,
        },
      })
    for (const [account, tier] of [
      ["acc_free", "free"],
      ["acc_paid", "pro"],
      ["acc_plan", "free"],
    ] as const)
      await key(account, tier)
    await database.run(sql`UPDATE accounts SET tier = 'pro' WHERE account_id = 'acc_plan'`)
    await database.run(
      sql`INSERT INTO accounts (account_id, email, created_at) VALUES ('acc_proven', 'owner@mailbox.test', 1)`,
    )
    const all = ["acc_free", "acc_paid", "acc_plan", "acc_proven", "acc_unheard_of"]
    const found = await createObservationStore(database).trustedAccounts(all)
    expect([...found].toSorted()).toEqual(["acc_paid", "acc_plan", "acc_proven"])
  } finally {
    await started.stop()
  }
})

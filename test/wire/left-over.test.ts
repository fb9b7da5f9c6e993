import { sql } from "drizzle-orm"
import { expect, test } from "vitest"
import { finishLater } from "../../src/services/bulk/finish-later.ts"
import { bulkNeeds } from "../support/bulk-needs.ts"
import { startDatabase } from "../support/database.ts"

test("what calls leave over does not grow without end, and one account's is not another's", async () => {
  const database = await startDatabase()
  try {
    const { needs } = await bulkNeeds(database.open, { zone: {}, leaseMs: 3_000 })
    const leave = (accountId: string | null, call: number) => {
      const emails = Array.from({ length: 4_000 }, (_, n) => `user${n}@d${call}.test`)
      return finishLater(needs, { emails, accountId })
    }
    for (const call of [1, 2, 3, 4]) for (const account of ["acc_hostile", null]) await leave(account, call)
    await leave("acc_honest", 1)
    const found = await database.open().all(sql`SELECT account_id AS account, sum(total) AS n FROM jobs
      WHERE status IN ('queued', 'running') GROUP BY account_id ORDER BY account_id`)
    expect(found).toMatchObject([
      { account: null, n: 8_000 },
      { account: "acc_honest", n: 4_000 },
      { account: "acc_hostile", n: 8_000 },
    ])
  } finally {
    await database.stop()
  }
})

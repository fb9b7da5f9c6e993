import { sql } from "drizzle-orm"
import { expect, test } from "vitest"
import { enqueueLeftovers } from "../../src/services/lists/internal-jobs.ts"
import { bulkDeps } from "../support/deps/bulk-deps.ts"
import { startDatabase } from "../support/stack/database.ts"

test("deferred addresses of calls are limited per account, and separate for each account", async () => {
  const database = await startDatabase()
  try {
    const { ctx } = await bulkDeps(database.open, { zone: {}, leaseMs: 3_000 })
    const deferCall = (accountId: string | null, call: number) => {
      const emails = Array.from({ length: 4_000 }, (_, n) => `user${n}@d${call}.test`)
      return enqueueLeftovers(ctx, { emails, accountId })
    }
    for (const call of [1, 2, 3, 4]) for (const account of ["acc_hostile", null]) await deferCall(account, call)
    await deferCall("acc_honest", 1)
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

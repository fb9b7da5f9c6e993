import { type SQL, sql } from "drizzle-orm"
import { ACCOUNT_TABLES, SCANNED_FOR_ACCOUNT } from "../../../../schema/tables/account-tables.ts"
import type { Database } from "../database.ts"
import { deleteInBatches, inBatches, rangesOf } from "../in-batches.ts"
import { type Adoption, JOINED, joinPlans, joinUsage, moveCharges, unclaimed } from "./join-accounts.ts"

/** Tables that grow with usage and whose rows only change their account. */
const LARGE_TABLES = [
  ...["verifications", "jobs", "pending_verifications", "outbound_events", "benchmarks", "integration_events"],
  "feedback",
]
/** Large tables with rows that must be merged, with the indexed column for batches. */
const LARGE_MERGED_TABLES = {
  ...{ suppressions: "address_hash", address_feedback: "address_hash", account_erasures: "subject_hash" },
  ...{ feedback_domains: "domain", verified_addresses: "address" },
}
/** Tables too large for one transaction: their last rows move after the account is gone. */
const MOVED_LAST: readonly string[] = ["pending_verifications", "suppressions"]

/**
 * Moves all data of an unclaimed account to another account, with its bought credits and the better plan.
 * Large tables move first in batches; keys and counters then move in one transaction. An interrupted move continues
 * at the next attempt. Suppressions apply to both accounts all the time. @returns the number of moved keys
 */
export async function adoptAccount(database: Database, adoption: Adoption): Promise<number> {
  const { from, to } = adoption
  if (from === to) return 0
  if ((await database.all(sql`SELECT 1 WHERE ${unclaimed(adoption)}`)).length === 0) return 0
  const own = sql`account_id = ${from} AND ${unclaimed(adoption)}`
  await moveLargeTables(database, adoption, own)
  const keys = await moveInTransaction(database, adoption, own)
  await moveRemainder(database, adoption)
  return keys
}

async function moveLargeTables(database: Database, adoption: Adoption, own: SQL): Promise<void> {
  const { from, to } = adoption
  for (const [table, by] of Object.entries(LARGE_MERGED_TABLES))
    for await (const rows of rangesOf(database, { table, where: own, by })) {
      const deletion = sql`DELETE FROM ${sql.identifier(table)} WHERE ${rows}`
      await database.batch([
        database.run(JOINED[table]!(adoption, rows)),
        ...(MOVED_LAST.includes(table) ? [] : [database.run(deletion)]),
      ])
    }
  for (const table of LARGE_TABLES) await move(database, { table, where: own, to })
  await inBatches(database, {
    table: "ledger",
    where: sql`subject = ${from} AND state = 'settled' AND ${unclaimed(adoption)}`,
    statement: (rows) => sql`UPDATE ledger SET subject = ${to} WHERE ${rows}`,
  })
}

/** @returns the number of moved keys */
async function moveInTransaction(database: Database, adoption: Adoption, own: SQL): Promise<number> {
  const { from, to, now } = adoption
  const [, moved] = await database.batch([
    // Starts with a write: SQLite may refuse to upgrade a read transaction while others write.
    database.run(joinUsage(adoption)),
    database.all<{ n: number }>(sql`SELECT count(*) AS n FROM api_keys WHERE ${own}`),
    ...[...moveCharges(adoption), ...joinPlans(adoption)].map((one) => database.run(one)),
    ...Object.entries(JOINED).map(([table, join]) =>
      database.run(join(adoption, table === "suppressions" ? sql`${own} AND created_at >= ${now}` : own)),
    ),
    ...ACCOUNT_TABLES.filter((name) => !MOVED_LAST.includes(name)).flatMap((name) => {
      const table = sql.identifier(name)
      return [
        database.run(sql`UPDATE OR IGNORE ${table} SET account_id = ${to} WHERE ${own}`),
        // Rows that the target already has: an erasure could not find them later.
        database.run(sql`DELETE FROM ${table} WHERE ${own}`),
      ]
    }),
    database.run(
      sql`UPDATE api_keys SET owner_email = (SELECT email FROM accounts WHERE account_id = ${to}), network = NULL, created_by = NULL
        WHERE account_id = ${to}`,
    ),
    database.run(sql`DELETE FROM accounts WHERE account_id = ${from} AND email IS NULL`),
  ])
  return moved[0]?.n ?? 0
}

async function moveRemainder(database: Database, { from, to }: Adoption): Promise<void> {
  const left = sql`account_id = ${from} AND NOT EXISTS (SELECT 1 FROM accounts WHERE account_id = ${from})`
  await move(database, { table: "pending_verifications", where: left, to })
  // The copies are in place. After an interruption the nightly purge deletes these rows, because their account is gone.
  await deleteInBatches(database, { table: "suppressions", where: left })
}

async function move(database: Database, { table, where, to }: { table: string; where: SQL; to: string }) {
  const statement = (rows: SQL) => sql`UPDATE ${sql.identifier(table)} SET account_id = ${to} WHERE ${rows}`
  await inBatches(database, { table, where, statement, scanned: SCANNED_FOR_ACCOUNT[table] })
}

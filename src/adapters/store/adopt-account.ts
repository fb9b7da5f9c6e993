import { type SQL, sql } from "drizzle-orm"
import { ACCOUNT_TABLES, SCANNED_FOR_ACCOUNT } from "../../../schema/tables/account-tables.ts"
import type { Database } from "./database.ts"
import { deleteInPieces, inPieces, rangesOf } from "./in-pieces.ts"
import { type Adoption, JOINED, joinPlans, joinUsage, moveCharges, unclaimed } from "./join-accounts.ts"

/** What grows with what is verified and sent, and whose rows just change hands. */
const LONG = [
  ...["verifications", "jobs", "pending_verifications", "outbound_events", "benchmarks", "integration_events"],
  "feedback",
]
/** What may be long and becomes one record where both have one, with the column its rows are gone through by. */
const LONG_JOINED = { suppressions: "address_hash", address_feedback: "address_hash", feedback_domains: "domain" }
/** What cannot be gone through in one step: the last of it changes hands when the account is gone. */
const SWEPT_AFTER: readonly string[] = ["pending_verifications", "suppressions"]

/**
 * Moves everything of an account nobody has claimed to another account: what it owns, has used and has open, its bought
 * credits, and its plan where that is the better one. What may be long goes first and in pieces the database answers in
 * time; keys and all that is counted then change hands in one step. Cut off before it, the lineage is as it was but for
 * what has gone ahead, and the next time goes on; what is suppressed is so for both all the while.
 * @returns how many keys moved
 */
export async function adoptAccount(database: Database, adoption: Adoption): Promise<number> {
  const { from, to } = adoption
  if (from === to) return 0
  if ((await database.all(sql`SELECT 1 WHERE ${unclaimed(adoption)}`)).length === 0) return 0
  const own = sql`account_id = ${from} AND ${unclaimed(adoption)}`
  await sendAhead(database, adoption, own)
  const keys = await changeHands(database, adoption, own)
  await sweepAfter(database, adoption)
  return keys
}

async function sendAhead(database: Database, adoption: Adoption, own: SQL): Promise<void> {
  const { from, to } = adoption
  for (const [table, by] of Object.entries(LONG_JOINED))
    for await (const rows of rangesOf(database, { table, where: own, by })) {
      const gone = sql`DELETE FROM ${sql.identifier(table)} WHERE ${rows}`
      await database.batch([
        database.run(JOINED[table]!(adoption, rows)),
        ...(SWEPT_AFTER.includes(table) ? [] : [database.run(gone)]),
      ])
    }
  for (const table of LONG) await move(database, { table, where: own, to })
  await inPieces(database, {
    table: "ledger",
    where: sql`subject = ${from} AND state = 'settled' AND ${unclaimed(adoption)}`,
    statement: (rows) => sql`UPDATE ledger SET subject = ${to} WHERE ${rows}`,
  })
}

/** @returns how many keys moved */
async function changeHands(database: Database, adoption: Adoption, own: SQL): Promise<number> {
  const { from, to, now } = adoption
  const [, moved] = await database.batch([
    // First a write: a transaction that begins with a read may not become one when others write.
    database.run(joinUsage(adoption)),
    database.all<{ n: number }>(sql`SELECT count(*) AS n FROM api_keys WHERE ${own}`),
    ...[...moveCharges(adoption), ...joinPlans(adoption)].map((one) => database.run(one)),
    ...Object.entries(JOINED).map(([table, join]) =>
      database.run(join(adoption, table === "suppressions" ? sql`${own} AND created_at >= ${now}` : own)),
    ),
    ...ACCOUNT_TABLES.filter((name) => !SWEPT_AFTER.includes(name)).flatMap((name) => {
      const table = sql.identifier(name)
      return [
        database.run(sql`UPDATE OR IGNORE ${table} SET account_id = ${to} WHERE ${own}`),
        // What the account has of its own already: left behind, no erasure would find it again.
        database.run(sql`DELETE FROM ${table} WHERE ${own}`),
      ]
    }),
    database.run(
      sql`UPDATE api_keys SET owner_email = (SELECT email FROM accounts WHERE account_id = ${to}) WHERE account_id = ${to}`,
    ),
    database.run(sql`DELETE FROM accounts WHERE account_id = ${from} AND email IS NULL`),
  ])
  return moved[0]?.n ?? 0
}

async function sweepAfter(database: Database, { from, to }: Adoption): Promise<void> {
  const left = sql`account_id = ${from} AND NOT EXISTS (SELECT 1 FROM accounts WHERE account_id = ${from})`
  await move(database, { table: "pending_verifications", where: left, to })
  // Their copies hold. Cut off here, they go with the night, as their account is gone.
  await deleteInPieces(database, { table: "suppressions", where: left })
}

async function move(database: Database, { table, where, to }: { table: string; where: SQL; to: string }) {
  const statement = (rows: SQL) => sql`UPDATE ${sql.identifier(table)} SET account_id = ${to} WHERE ${rows}`
  await inPieces(database, { table, where, statement, scanned: SCANNED_FOR_ACCOUNT[table] })
}

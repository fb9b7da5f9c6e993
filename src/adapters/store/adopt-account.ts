import { type SQL, sql } from "drizzle-orm"
import { ACCOUNT_TABLES, SCANNED_FOR_ACCOUNT } from "../../../schema/tables/account-tables.ts"
import { TIERS } from "../../../schema/vocabulary.ts"
import type { Database } from "./database.ts"
import { deleteInPieces, inPieces } from "./in-pieces.ts"
import { keepTheGraver } from "./suppression-sql.ts"

interface Adoption {
  readonly from: string
  readonly to: string
  /** Unix milliseconds. */
  readonly now: number
}

/** What grows with what is verified and sent, and whose rows just change hands. */
const LONG = [
  ...["verifications", "jobs", "pending_verifications", "outbound_events", "benchmarks", "integration_events"],
  "feedback",
]
/** What cannot be gone through in one step. */
const SWEPT_AFTER: readonly string[] = ["pending_verifications", "suppressions"]
const JOINED_AT_ONCE = 2_000

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
  const unclaimed = sql`EXISTS (SELECT 1 FROM accounts WHERE account_id = ${from} AND email IS NULL)`
  if ((await database.all(sql`SELECT 1 WHERE ${unclaimed}`)).length === 0) return 0
  await moveWhatIsLong(database, adoption, unclaimed)
  const [moved] = await database.batch([
    database.all<{ n: number }>(sql`SELECT count(*) AS n FROM api_keys WHERE account_id = ${from} AND ${unclaimed}`),
    ...moveCharges(database, adoption, unclaimed),
    ...joinPlans(database, adoption, unclaimed),
    ...["daily_counts", "feedback_counts", "feedback_domains"].map((name) =>
      database.run(joinCounts(name, adoption, unclaimed)),
    ),
    database.run(joinSuppressions(adoption, sql`created_at >= ${adoption.now} AND ${unclaimed}`)),
    database.run(joinAddresses(adoption, unclaimed)),
    ...ACCOUNT_TABLES.filter((name) => !SWEPT_AFTER.includes(name)).flatMap((name) => {
      const table = sql.identifier(name)
      return [
        database.run(sql`UPDATE OR IGNORE ${table} SET account_id = ${to} WHERE account_id = ${from} AND ${unclaimed}`),
        // What the account has of its own already: left behind, no erasure would find it again.
        database.run(sql`DELETE FROM ${table} WHERE account_id = ${from} AND ${unclaimed}`),
      ]
    }),
    database.run(
      sql`UPDATE api_keys SET owner_email = (SELECT email FROM accounts WHERE account_id = ${to}) WHERE account_id = ${to}`,
    ),
    database.run(sql`DELETE FROM accounts WHERE account_id = ${from} AND email IS NULL`),
  ])
  const when = sql`NOT EXISTS (SELECT 1 FROM accounts WHERE account_id = ${from})`
  await moveInPieces(database, adoption, { table: "pending_verifications", when })
  // Their copies hold. Cut off here, they go with the night, as their account is gone.
  await deleteInPieces(database, { table: "suppressions", where: sql`account_id = ${from} AND ${when}` })
  return moved[0]?.n ?? 0
}

async function moveWhatIsLong(database: Database, adoption: Adoption, unclaimed: SQL): Promise<void> {
  const { from, to } = adoption
  const own = (rows: SQL) => sql`account_id = ${from} AND ${rows} AND ${unclaimed}`
  for await (const rows of rangesOf(database, { table: "suppressions", by: "address_hash", from }))
    await database.run(joinSuppressions(adoption, sql`${rows} AND ${unclaimed}`))
  for await (const rows of rangesOf(database, { table: "address_feedback", by: "address_hash", from }))
    await database.batch([
      database.run(joinAddresses(adoption, sql`${rows} AND ${unclaimed}`)),
      database.run(sql`DELETE FROM address_feedback WHERE ${own(rows)}`),
    ])
  for await (const rows of rangesOf(database, { table: "feedback_domains", by: "domain", from }))
    await database.batch([
      database.run(joinCounts("feedback_domains", adoption, sql`${rows} AND ${unclaimed}`)),
      database.run(sql`DELETE FROM feedback_domains WHERE ${own(rows)}`),
    ])
  for (const table of LONG) await moveInPieces(database, adoption, { table, when: unclaimed })
  await inPieces(database, {
    table: "ledger",
    where: sql`subject = ${from} AND state = 'settled' AND ${unclaimed}`,
    statement: (rows) => sql`UPDATE ledger SET subject = ${to} WHERE ${rows}`,
  })
}

async function moveInPieces(
  database: Database,
  { from, to }: Adoption,
  { table, when }: { table: string; when: SQL },
): Promise<void> {
  const where = sql`account_id = ${from} AND ${when}`
  const statement = (rows: SQL) => sql`UPDATE ${sql.identifier(table)} SET account_id = ${to} WHERE ${rows}`
  await inPieces(database, { table, where, statement, scanned: SCANNED_FOR_ACCOUNT[table] })
}

/** Conditions for an account's rows, range by range in the order of what they are found by. */
async function* rangesOf(
  database: Database,
  { table, by, from }: { table: string; by: string; from: string },
): AsyncGenerator<SQL> {
  const [name, key] = [sql.identifier(table), sql.identifier(by)]
  for (let after = ""; ; ) {
    const [end] = await database.all<{
      last: string | null
    }>(sql`SELECT max(${key}) AS last FROM (SELECT ${key} FROM ${name}
      WHERE account_id = ${from} AND ${key} > ${after} ORDER BY ${key} LIMIT ${JOINED_AT_ONCE})`)
    const last = end?.last ?? null
    if (last === null) return
    yield sql`${key} > ${after} AND ${key} <= ${last}`
    after = last
  }
}

/** What was used adds up; what is open is given back, when it is settled, to whom the usage is counted for now. */
function moveCharges(database: Database, { from, to }: Adoption, unclaimed: SQL) {
  return [
    database.run(sql`INSERT INTO usage (subject, period, used)
      SELECT ${to}, period, used FROM usage WHERE subject = ${from} AND ${unclaimed}
      ON CONFLICT (subject, period) DO UPDATE SET used = used + excluded.used`),
    database.run(sql`DELETE FROM usage WHERE subject = ${from} AND ${unclaimed}`),
    database.run(sql`UPDATE ledger SET subject = ${to} WHERE subject = ${from} AND ${unclaimed}`),
  ] as const
}

const RANK = TIERS.map((tier, rank) => `WHEN '${tier}' THEN ${rank}`).join(" ")
const RANK_OF_TIER = sql.raw(`CASE tier ${RANK} END`)

/** Of two plans the better one holds, for the keys of both; a key that the operator gave more keeps it. */
function joinPlans(database: Database, { from, to }: Adoption, unclaimed: SQL) {
  const both = sql`accounts WHERE account_id IN (${from}, ${to})`
  const bestRank = sql`(SELECT max(${RANK_OF_TIER}) FROM ${both})`
  const bestTier = sql`(SELECT tier FROM ${both} ORDER BY ${RANK_OF_TIER} DESC LIMIT 1)`
  return [
    database.run(sql`UPDATE api_keys SET tier = ${bestTier}
      WHERE account_id IN (SELECT account_id FROM ${both} AND ${RANK_OF_TIER} < ${bestRank})
      AND is_active = 1 AND ${RANK_OF_TIER} < ${bestRank} AND ${unclaimed}`),
    database.run(sql`UPDATE accounts SET tier = ${bestTier}, credits = (SELECT sum(credits) FROM ${both})
      WHERE account_id = ${to} AND ${unclaimed}`),
  ] as const
}

/** Tables of counts, with what they count by. */
const COUNTS = {
  daily_counts: sql`day, status, cached`,
  feedback_counts: sql`day, kind, predicted_status`,
  feedback_domains: sql`domain, kind`,
} as const
const MOMENTS = [
  "received_at",
  "delivered_at",
  "opened_at",
  "clicked_at",
  "hard_bounced_at",
  "soft_bounced_at",
  "complained_at",
  "unsubscribed_at",
].map((name) => sql.identifier(name))

// What both know of one thing becomes one record: counts add up, the last moments and the graver suppressions hold.

function joinCounts(name: string, { from, to }: Adoption, rows: SQL): SQL {
  const [table, by] = [sql.identifier(name), COUNTS[name as keyof typeof COUNTS]]
  return sql`INSERT INTO ${table} (account_id, ${by}, count)
    SELECT ${to}, ${by}, count FROM ${table} WHERE account_id = ${from} AND ${rows}
    ON CONFLICT (account_id, ${by}) DO UPDATE SET count = ${table}.count + excluded.count`
}

function joinSuppressions({ from, to, now }: Adoption, rows: SQL): SQL {
  return sql`INSERT INTO suppressions (account_id, address_hash, address, reason, source, created_at, expires_at)
    SELECT ${to}, address_hash, address, reason, source, created_at, expires_at FROM suppressions
    WHERE account_id = ${from} AND coalesce(expires_at > ${now}, true) AND ${rows} ${keepTheGraver(now)}`
}

function joinAddresses({ from, to }: Adoption, rows: SQL): SQL {
  const moments = sql.join(MOMENTS, sql`, `)
  const later = MOMENTS.map(
    (name) =>
      sql`${name} = coalesce(max(address_feedback.${name}, excluded.${name}), address_feedback.${name}, excluded.${name})`,
  )
  return sql`INSERT INTO address_feedback (account_id, address_hash, ${moments}, soft_bounces)
    SELECT ${to}, address_hash, ${moments}, soft_bounces FROM address_feedback WHERE account_id = ${from} AND ${rows}
    ON CONFLICT (account_id, address_hash) DO UPDATE SET ${sql.join(later, sql`, `)},
      soft_bounces = address_feedback.soft_bounces + excluded.soft_bounces`
}

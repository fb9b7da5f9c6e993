import { sql } from "drizzle-orm"
import { ACCOUNT_TABLES } from "../../../schema/tables/account-tables.ts"
import { TIERS } from "../../../schema/vocabulary.ts"
import type { Database } from "./database.ts"
import { keepTheGraver } from "./suppression-sql.ts"

interface Adoption {
  readonly from: string
  readonly to: string
  /** Unix milliseconds. */
  readonly now: number
}

/**
 * Moves everything of an account nobody has claimed to another account, in one step: what it owns, has used and has open,
 * its bought credits, and its plan where that is the better one. @returns how many keys moved
 */
export async function adoptAccount(database: Database, { from, to, now }: Adoption): Promise<number> {
  if (from === to) return 0
  const unclaimed = sql`EXISTS (SELECT 1 FROM accounts WHERE account_id = ${from} AND email IS NULL)`
  const [moved] = await database.batch([
    database.all<{ n: number }>(sql`SELECT count(*) AS n FROM api_keys WHERE account_id = ${from} AND ${unclaimed}`),
    ...moveCharges(database, { from, to }, unclaimed),
    ...joinPlans(database, { from, to }, unclaimed),
    ...joinRecords(database, { from, to, now }, unclaimed),
    ...ACCOUNT_TABLES.flatMap((name) => {
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
  return moved[0]?.n ?? 0
}

type Condition = ReturnType<typeof sql>

/** What was used adds up; what is open is given back, when it is settled, to whom the usage is counted for now. */
function moveCharges(database: Database, { from, to }: Omit<Adoption, "now">, unclaimed: Condition) {
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
function joinPlans(database: Database, { from, to }: Omit<Adoption, "now">, unclaimed: Condition) {
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

/** What both know of one thing becomes one record: counts add up, the last moments and the graver suppressions hold. */
function joinRecords(database: Database, { from, to, now }: Adoption, unclaimed: Condition) {
  const moments = sql.join(MOMENTS, sql`, `)
  const later = MOMENTS.map(
    (name) =>
      sql`${name} = coalesce(max(address_feedback.${name}, excluded.${name}), address_feedback.${name}, excluded.${name})`,
  )
  return [
    ...Object.entries(COUNTS).map(([name, by]) => {
      const table = sql.identifier(name)
      return database.run(sql`INSERT INTO ${table} (account_id, ${by}, count)
        SELECT ${to}, ${by}, count FROM ${table} WHERE account_id = ${from} AND ${unclaimed}
        ON CONFLICT (account_id, ${by}) DO UPDATE SET count = ${table}.count + excluded.count`)
    }),
    database.run(sql`INSERT INTO suppressions (account_id, address_hash, address, reason, source, created_at, expires_at)
      SELECT ${to}, address_hash, address, reason, source, created_at, expires_at FROM suppressions
      WHERE account_id = ${from} AND coalesce(expires_at > ${now}, true) AND ${unclaimed} ${keepTheGraver(now)}`),
    database.run(sql`INSERT INTO address_feedback (account_id, address_hash, ${moments}, soft_bounces)
      SELECT ${to}, address_hash, ${moments}, soft_bounces FROM address_feedback WHERE account_id = ${from} AND ${unclaimed}
      ON CONFLICT (account_id, address_hash) DO UPDATE SET ${sql.join(later, sql`, `)},
        soft_bounces = address_feedback.soft_bounces + excluded.soft_bounces`),
  ]
}

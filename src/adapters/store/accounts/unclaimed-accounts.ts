import { type SQL, sql } from "drizzle-orm"
import { ACCOUNT_TABLES, SCANNED_FOR_ACCOUNT } from "../../../../schema/tables/account-tables.ts"
import type { apiKeys } from "../../../../schema/tables/accounts.ts"
import { testAccountOf } from "../../../domain/accounts/test-mode.ts"
import type { Database } from "../database.ts"
import { deleteInBatches, inBatches, rangesOf } from "../in-batches.ts"
import { ownerOf } from "../owner-account.ts"
import { KEEP_LATER_VERDICT, strongerReport, VERDICT_COLUMNS } from "../suppression/feedback-sql.ts"
import { insertVerified } from "../verification/results.ts"
import { GRANTED_RANK, TIER_RANK } from "./ledger-sql.ts"

/** Tables that grow with usage and whose rows only change their account. */
const LARGE_TABLES = [
  ...["verifications", "jobs", "pending_verifications", "outbound_events", "benchmarks", "integration_events"],
  "feedback",
]
/** Large tables with rows that must be merged, with the indexed column for batches. */
const LARGE_MERGED_TABLES = {
  suppressions: "address_hash",
  address_feedback: "address_hash",
  account_erasures: "subject_hash",
  feedback_domains: "domain",
  verified_addresses: "address",
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
  // First, because the account of the test keys has no owner once this one is gone.
  await moveAll(database, { ...adoption, from: testAccountOf(from), to: testAccountOf(to) })
  return moveAll(database, adoption)
}

async function moveAll(database: Database, adoption: Adoption): Promise<number> {
  const { from } = adoption
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

interface Adoption {
  readonly from: string
  readonly to: string
  /** Unix milliseconds. */
  readonly now: number
}

/** Merges rows that both accounts have: by table, the statement over rows of the source account. */
export const JOINED: Readonly<Record<string, (adoption: Adoption, rows: SQL) => SQL>> = {
  daily_counts: joinCounts("daily_counts", "day, status, cached", ["count", "scores", "sendable"]),
  feedback_counts: joinCounts("feedback_counts", "day, kind, predicted_status", ["count"]),
  verdict_outcomes: joinCounts("verdict_outcomes", "status, outcome", ["count"]),
  feedback_domains: joinCounts("feedback_domains", "domain, kind", ["count"]),
  suppressions: joinSuppressions,
  address_feedback: joinAddresses,
  account_erasures: joinErasures,
  verified_addresses: ({ to }, rows) =>
    insertVerified(sql`SELECT ${to}, address, domain, verified_at FROM verified_addresses WHERE ${rows}`),
  alert_settings: ({ to }, rows) => sql`INSERT OR IGNORE INTO alert_settings (account_id, mail, webhook_url)
    SELECT ${to}, mail, webhook_url FROM alert_settings WHERE ${rows}`,
  usage_alerts: ({ to }, rows) => sql`INSERT OR IGNORE INTO usage_alerts
    (account_id, period, percent, credits, reached_at, told_at, failures)
    SELECT ${to}, period, percent, credits, reached_at, told_at, failures FROM usage_alerts WHERE ${rows}`,
}

/** The source account has no proven owner. Part of every statement, because it may be claimed meanwhile. */
function unclaimed({ from }: Pick<Adoption, "from">): SQL {
  return sql`EXISTS (SELECT 1 FROM accounts WHERE account_id = ${ownerOf(sql`${from}`)} AND email IS NULL)`
}

/** Adds up the usage. */
function joinUsage({ from, to }: Adoption): SQL {
  return sql`INSERT INTO usage (subject, period, used)
    SELECT ${to}, period, used FROM usage WHERE subject = ${from} AND ${unclaimed({ from })}
    ON CONFLICT (subject, period) DO UPDATE SET used = used + excluded.used`
}

/** Moves open charges: a later settlement refunds the account that has the usage. */
function moveCharges({ from, to }: Adoption): SQL[] {
  const own = sql`subject = ${from} AND ${unclaimed({ from })}`
  return [sql`DELETE FROM usage WHERE ${own}`, sql`UPDATE ledger SET subject = ${to} WHERE ${own}`]
}

/** Keeps the better of two plans, and of two grants, for the keys of both. A key with a higher tier from the operator keeps it. */
function joinPlans({ from, to }: Adoption): SQL[] {
  const both = sql`accounts WHERE account_id IN (${from}, ${to})`
  const bestRank = sql`(SELECT max(${TIER_RANK}) FROM ${both})`
  const bestTier = sql`(SELECT tier FROM ${both} ORDER BY ${TIER_RANK} DESC LIMIT 1)`
  const bestGrant = sql`(SELECT granted_tier FROM ${both} ORDER BY ${GRANTED_RANK} DESC LIMIT 1)`
  return [
    sql`UPDATE api_keys SET tier = ${bestTier}
      WHERE account_id IN (SELECT account_id FROM ${both} AND ${TIER_RANK} < ${bestRank})
      AND is_active = 1 AND ${TIER_RANK} < ${bestRank} AND ${unclaimed({ from })}`,
    sql`UPDATE accounts SET tier = ${bestTier}, granted_tier = ${bestGrant}, credits = (SELECT sum(credits) FROM ${both})
      WHERE account_id = ${to} AND ${unclaimed({ from })}`,
  ]
}

/** @param sums the columns that add up */
function joinCounts(name: string, countedBy: string, sums: readonly string[]) {
  const [table, by, added] = [sql.identifier(name), sql.raw(countedBy), sql.raw(sums.join(", "))]
  const sum = sql.raw(sums.map((column) => `${column} = ${name}.${column} + excluded.${column}`).join(", "))
  return ({ to }: Adoption, rows: SQL) => sql`INSERT INTO ${table} (account_id, ${by}, ${added})
    SELECT ${to}, ${by}, ${added} FROM ${table} WHERE ${rows}
    ON CONFLICT (account_id, ${by}) DO UPDATE SET ${sum}`
}

function joinSuppressions({ to, now }: Adoption, rows: SQL): SQL {
  return sql`INSERT INTO suppressions (account_id, address_hash, address, reason, source, created_at, expires_at)
    SELECT ${to}, address_hash, address, reason, source, created_at, expires_at FROM suppressions
    WHERE coalesce(expires_at > ${now}, true) AND ${rows} ${strongerReport(now)}`
}

function joinAddresses({ to }: Adoption, rows: SQL): SQL {
  const names = [
    "received",
    "delivered",
    "opened",
    "clicked",
    "hard_bounced",
    "mailbox_missing",
    "soft_bounced",
    "complained",
    "unsubscribed",
  ]
  const moments = names.map((name) => sql.identifier(`${name}_at`))
  const columns = sql.join(moments, sql`, `)
  const later = moments.map(
    (name) =>
      sql`${name} = coalesce(max(address_feedback.${name}, excluded.${name}), address_feedback.${name}, excluded.${name})`,
  )
  return sql`INSERT INTO address_feedback (account_id, address_hash, ${columns}, soft_bounces, ${VERDICT_COLUMNS})
    SELECT ${to}, address_hash, ${columns}, soft_bounces, ${VERDICT_COLUMNS} FROM address_feedback WHERE ${rows}
    ON CONFLICT (account_id, address_hash) DO UPDATE SET ${sql.join(later, sql`, `)},
      soft_bounces = address_feedback.soft_bounces + excluded.soft_bounces, ${KEEP_LATER_VERDICT}`
}

/** Erasures of either account stay active. */
function joinErasures({ to }: Adoption, rows: SQL): SQL {
  return sql`INSERT INTO account_erasures (account_id, subject_hash, domain_hash, hides_until, erased_at)
    SELECT ${to}, subject_hash, domain_hash, hides_until, erased_at FROM account_erasures WHERE ${rows}
    ON CONFLICT (account_id, subject_hash) DO UPDATE SET
      hides_until = max(account_erasures.hides_until, excluded.hides_until),
      erased_at = max(account_erasures.erased_at, excluded.erased_at)`
}

/** An active key that names a mailbox without a proof. Times in Unix milliseconds. */
export type UnconfirmedKey = Pick<
  typeof apiKeys.$inferSelect,
  "keyId" | "accountId" | "digest" | "last4" | "network" | "createdAt" | "lastUsed"
> & {
  /** The key requested the sign-in link of this session, in the same browser. */
  readonly requestedSignIn: boolean
  /** Active keys of its account, which join together. */
  readonly lineageKeys: number
}

/** Keys that a mailbox's owner may join or revoke: those made in its name, and the one that requested its link there. */
export interface Offer {
  readonly email: string
  readonly signInKeyId: string | null
}

interface Row extends Omit<UnconfirmedKey, "requestedSignIn"> {
  readonly requestedSignIn: number
}

export function createUnconfirmedKeyStore(database: Database) {
  async function read({ email, signInKeyId }: Offer, rest: SQL): Promise<UnconfirmedKey[]> {
    const rows =
      await database.all<Row>(sql`SELECT key_id AS "keyId", account_id AS "accountId", digest, last4, network,
        created_at AS "createdAt", last_used AS "lastUsed", key_id IS ${signInKeyId} AS "requestedSignIn",
        (SELECT count(*) FROM api_keys AS l WHERE l.account_id = k.account_id AND l.is_active = 1) AS "lineageKeys"
      FROM api_keys AS k WHERE ${offered({ email, signInKeyId })} AND ${rest}`)
    return rows.map((row) => ({ ...row, requestedSignIn: row.requestedSignIn === 1 }))
  }

  return {
    /** The key that requested the sign-in first, then the newest. */
    list: (offer: Offer, limit: number): Promise<UnconfirmedKey[]> =>
      read(offer, sql`true ORDER BY key_id IS ${offer.signInKeyId} DESC, created_at DESC, key_id LIMIT ${limit}`),

    /** Counts up to `limit` keys. */
    async count(offer: Offer, limit: number): Promise<number> {
      const rows = await database.all<{ n: number }>(
        sql`SELECT count(*) AS n FROM (SELECT 1 FROM api_keys AS k WHERE ${offered(offer)} LIMIT ${limit})`,
      )
      return rows[0]?.n ?? 0
    },

    /** One offered key; null for any other. */
    async find(offer: Offer, keyId: string): Promise<UnconfirmedKey | null> {
      return (await read(offer, sql`key_id = ${keyId}`))[0] ?? null
    },
  }
}

/** A suspended account stays where it is, so that its owner cannot move its keys. */
function offered({ email, signInKeyId }: Offer): SQL {
  // With OR instead of UNION, SQLite would scan the whole table.
  return sql`key_id IN (SELECT key_id FROM api_keys WHERE is_active = 1 AND owner_email = ${email}
      UNION SELECT key_id FROM api_keys WHERE is_active = 1 AND key_id = ${signInKeyId})
    AND EXISTS (SELECT 1 FROM accounts AS a WHERE a.account_id = k.account_id
      AND a.email IS NULL AND a.closed_at IS NULL AND a.suspended_at IS NULL)`
}

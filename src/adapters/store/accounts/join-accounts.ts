import { type SQL, sql } from "drizzle-orm"
import { keepStronger } from "../feedback/suppression-sql.ts"
import { KEEP_LATER_VERDICT, VERDICT_COLUMNS } from "../feedback/verdict-outcomes.ts"
import { insertVerified } from "../results/result-lists.ts"
import { GRANTED_RANK, TIER_RANK } from "./tier-rank.ts"

export interface Adoption {
  readonly from: string
  readonly to: string
  /** Unix milliseconds. */
  readonly now: number
}

/**
 * Merges rows that both accounts have: counts add up; the latest times and the strongest suppressions remain.
 * By table, the statement over rows of the source account.
 */
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
export function unclaimed({ from }: Pick<Adoption, "from">): SQL {
  return sql`EXISTS (SELECT 1 FROM accounts WHERE account_id = ${from} AND email IS NULL)`
}

/** Adds up the usage. */
export function joinUsage({ from, to }: Adoption): SQL {
  return sql`INSERT INTO usage (subject, period, used)
    SELECT ${to}, period, used FROM usage WHERE subject = ${from} AND ${unclaimed({ from })}
    ON CONFLICT (subject, period) DO UPDATE SET used = used + excluded.used`
}

/** Moves open charges: a later settlement refunds the account that has the usage. */
export function moveCharges({ from, to }: Adoption): SQL[] {
  const own = sql`subject = ${from} AND ${unclaimed({ from })}`
  return [sql`DELETE FROM usage WHERE ${own}`, sql`UPDATE ledger SET subject = ${to} WHERE ${own}`]
}

/** Keeps the better of two plans, and of two grants, for the keys of both. A key with a higher tier from the operator keeps it. */
export function joinPlans({ from, to }: Adoption): SQL[] {
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
    WHERE coalesce(expires_at > ${now}, true) AND ${rows} ${keepStronger(now)}`
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

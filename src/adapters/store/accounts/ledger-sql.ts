import { type SQL, sql } from "drizzle-orm"
import { type ChargeSource, TIERS } from "../../../../schema/vocabulary.ts"
import type { Database } from "../database.ts"

const rankOf = (column: string) =>
  sql.raw(`CASE ${column} ${TIERS.map((tier, rank) => `WHEN '${tier}' THEN ${rank}`).join(" ")} END`)

/** The rank of a row's `tier`. */
export const TIER_RANK = rankOf("tier")
/** The rank of the operator's plan of an account; null without one. */
export const GRANTED_RANK = rankOf("granted_tier")

/** The subject and key of a charge, and its month. */
interface Owner {
  readonly subject: string
  readonly keyId: string | null
  readonly period: string
}

/** A new row of the ledger: a charge or a lease. */
interface LedgerEntry extends Owner {
  readonly chargeId: string
  readonly limit: number | null
  readonly state: "call" | "job" | "lease"
  readonly gate: string | null
  /** The least credits to reserve: without so many nothing is reserved. */
  readonly least: number
  /** The credits to reserve. @param left those that remain, null without a limit */
  readonly size: (left: SQL | null) => SQL
  /** What happens to an existing row with this id. */
  readonly onConflict: SQL
  /** True for a row that the entry may use. */
  readonly isUsable: SQL
}

/** An open lease in the ledger. */
export interface LedgerLease {
  readonly id: string
  /** The limiter that holds it. */
  readonly gate: string
}

export interface LedgerReservation {
  /** Reserved credits; null when nothing was reserved. */
  readonly reserved: number | null
  /** The source of the reserved credits. */
  readonly source: ChargeSource
  /** Credits used in the month, as far as they count for the entry's key. */
  readonly used: number
  /** Bought credits after this; null when none were ever bought, or for the month. */
  readonly creditsLeft: number | null
  /** The open leases of the subject. */
  readonly leases: readonly LedgerLease[]
}

/**
 * The usage that counts for a key. A key below its account's plan, or below a better key, has the month of its own tier
 * with equal and lower keys. Otherwise better keys would use it up before the first call. Sums of keys include bought
 * credits, so they are added up; the usage of better keys is not subtracted.
 */
export function countedOf({ subject, keyId, period }: Owner): SQL {
  const own = sql`(SELECT ${TIER_RANK} FROM api_keys WHERE key_id = ${keyId})`
  const ofAccount = sql`FROM api_keys WHERE account_id = ${subject} AND ${TIER_RANK}`
  return sql`CASE WHEN EXISTS (SELECT 1 FROM accounts WHERE account_id = ${subject} AND ${TIER_RANK} > ${own})
      OR EXISTS (SELECT 1 ${ofAccount} > ${own})
    THEN min(used, coalesce((SELECT sum(u.used) FROM usage AS u WHERE u.period = ${period}
      AND u.subject IN (SELECT key_id ${ofAccount} <= ${own})), 0))
    ELSE used END`
}

/** Reserves all credits or none in one conditional batch, after the statements of `before`. */
export async function reserveFrom(
  database: Database,
  source: ChargeSource,
  { entry, now, before = [] }: { entry: LedgerEntry; now: number; before?: readonly SQL[] },
): Promise<LedgerReservation> {
  const { chargeId, subject, keyId, period, gate, state, onConflict, isUsable } = entry
  const isNew = sql`EXISTS (SELECT 1 FROM ledger WHERE charge_id = ${chargeId} AND state = 'reserving')`
  const reserved = sql`(SELECT reserved FROM ledger WHERE charge_id = ${chargeId})`
  const [insertFrom, take, read] = source === "month" ? monthOf(entry) : creditsOf(entry)
  const writes = [
    ...before,
    sql`INSERT OR IGNORE INTO usage (subject, period, used) VALUES (${subject}, ${period}, 0)`,
    sql`INSERT INTO ledger (charge_id, subject, key_id, period, reserved, state, source, gate, created_at)
      SELECT ${chargeId}, ${subject}, ${keyId}, ${period}, ${insertFrom.size}, 'reserving', ${source}, ${gate}, ${now}
      ${insertFrom.rows} ${onConflict}`,
    sql`${take(reserved)} AND ${isNew}`,
    sql`INSERT INTO usage (subject, period, used) SELECT ${keyId}, ${period}, ${reserved}
      WHERE ${keyId} IS NOT NULL AND ${isNew}
      ON CONFLICT (subject, period) DO UPDATE SET used = used + excluded.used`,
    sql`UPDATE ledger SET state = ${state} WHERE charge_id = ${chargeId} AND state = 'reserving'`,
  ].map((statement) => database.run(statement))
  const [first, ...others] = writes
  if (!first) throw new Error("a reservation has statements")
  const reading = database.all<Reading>(sql`SELECT ${read} AS amount,
    (SELECT reserved FROM ledger WHERE charge_id = ${chargeId} AND ${isUsable}) AS reserved,
    (SELECT source FROM ledger WHERE charge_id = ${chargeId} AND ${isUsable}) AS source,
    (SELECT json_group_array(json_object('id', charge_id, 'gate', gate)) FROM ledger
      WHERE subject = ${subject} AND state = 'lease' AND charge_id <> ${chargeId}) AS leases`)
  const row = (await database.batch([first, ...others, reading])).at(-1) as Reading[]
  return readingOf(source, row[0])
}

interface Reading {
  /** Used credits of the month, or remaining bought credits. */
  readonly amount: number | null
  readonly reserved: number | null
  readonly source: ChargeSource | null
  readonly leases: string
}

function readingOf(source: ChargeSource, row: Reading | undefined): LedgerReservation {
  const { amount = null, reserved = null, leases = "[]" } = row ?? {}
  const read = { reserved, source: row?.source ?? source, leases: JSON.parse(leases) as LedgerLease[] }
  return source === "month"
    ? { ...read, used: amount ?? 0, creditsLeft: null }
    : { ...read, used: 0, creditsLeft: amount }
}

type Parts = readonly [insert: { size: SQL; rows: SQL }, take: (credits: SQL) => SQL, read: SQL]

/** The monthly allowance. */
function monthOf(entry: LedgerEntry): Parts {
  const { subject, limit, period, least, size } = entry
  const counted = countedOf(entry)
  const month = sql`FROM usage WHERE subject = ${subject} AND period = ${period}`
  const suffices = limit === null ? sql`true` : sql`(used + ${least} <= ${limit} OR ${counted} + ${least} <= ${limit})`
  const left = limit === null ? null : sql`(${limit} - ${counted})`
  return [
    { size: size(left), rows: sql`${month} AND ${suffices}` },
    (credits) => sql`UPDATE usage SET used = used + ${credits} WHERE subject = ${subject} AND period = ${period}`,
    sql`(SELECT ${limit === null ? sql`used` : counted} ${month})`,
  ]
}

/** Bought credits. */
function creditsOf({ subject, least, size }: LedgerEntry): Parts {
  const account = sql`FROM accounts WHERE account_id = ${subject}`
  return [
    { size: size(sql`credits`), rows: sql`${account} AND credits >= ${least}` },
    (credits) => sql`UPDATE accounts SET credits = credits - ${credits} WHERE account_id = ${subject}`,
    sql`(SELECT credits ${account})`,
  ]
}

interface Settling {
  /** Selects the charges, of which only the open ones change. */
  readonly which: SQL
  /** Credits that a charge keeps. */
  readonly keep: SQL
  /** Assignments to the row. */
  readonly set: SQL
}

/**
 * Ends or reduces open charges, and refunds their other credits to the source. The keys of the changed rows come first,
 * because `usage` has a row for each key and month. The plus makes SQLite start from the matched charges: there may be
 * many open ones.
 */
export function settlement({ which, keep, set }: Settling): readonly [SQL, SQL, SQL, SQL] {
  const open = sql`+state IN ('call', 'job', 'lease') AND ${which}`
  const returning = sql`${open} AND reserved > ${keep}`
  const givenBack = (column: "subject" | "key_id", more = sql`1`) => {
    const name = sql.raw(`ledger.${column}`)
    const charges = sql`FROM ledger WHERE ${more} AND ${returning}`
    return sql`UPDATE usage SET used = used - (SELECT sum(reserved - ${keep}) ${charges}
        AND ${name} = usage.subject AND ledger.period = usage.period)
      WHERE (subject, period) IN (SELECT ${name}, ledger.period ${charges} AND ${name} IS NOT NULL)`
  }
  const bought = sql`FROM ledger WHERE source = 'credits' AND ${returning}`
  return [
    givenBack("subject", sql`source = 'month'`),
    givenBack("key_id"),
    sql`UPDATE accounts
      SET credits = credits + (SELECT sum(reserved - ${keep}) ${bought} AND ledger.subject = accounts.account_id)
      WHERE account_id IN (SELECT ledger.subject ${bought})`,
    sql`UPDATE ledger SET ${set} WHERE ${open}`,
  ]
}

import { sql } from "drizzle-orm"
import type { Database } from "../database.ts"
import { TIER_RANK } from "./tier-rank.ts"

export interface Charge {
  /** Identifies the charge: an id is charged once, except after a charge that settled at 0. */
  readonly chargeId: string
  /** The subject that the credits count against, and its limit in the period; null is unlimited. */
  readonly subject: string
  readonly limit: number | null
  readonly keyId: string | null
  readonly period: string
  readonly credits: number
  /** An unsettled `call` is refunded by the sweeper; a `job` charge stays open as long as the job exists. */
  readonly kind: "call" | "job"
}

interface Reservation {
  readonly granted: boolean
  /** Credits used in the month, as far as they count for this charge's key. */
  readonly used: number
  /** Bought credits after this; null when none were ever bought, or the month sufficed. */
  readonly creditsLeft: number | null
}

export interface ChargeStore {
  /** Reserves all credits or none in one conditional statement, so that parallel calls never overdraw. */
  reserve(charge: Charge, now: number): Promise<Reservation>
  /** Charges the actual cost and refunds the rest. Settling twice changes nothing. */
  settle(chargeId: string, credits: number): Promise<void>
  /** Refunds old charges that will never be settled: calls, and charges of deleted jobs. @returns their number */
  refundAbandoned(openedBefore: Readonly<Record<Charge["kind"], number>>): Promise<number>
  usedBy(subject: string, period: string): Promise<number>
  /** Usage that counts against a key's limit: without the usage of the account's better keys. */
  countedFor(owner: Pick<Charge, "subject" | "keyId" | "period">): Promise<number>
  /** Remaining bought credits; null when none were ever bought. */
  creditsOf(subject: string): Promise<number | null>
}

/** Charges refunded by one statement: it scans all of them for each key and network, so the number is limited. */
const REFUNDED_AT_ONCE = 500

/** Credits as conditional statements over `usage`, `accounts` and `ledger` (schema/tables/accounts.ts). */
export function createChargeStore(database: Database): ChargeStore {
  return {
    async reserve(charge, now) {
      const month = await reserveFromMonth(database, charge, now)
      return month.granted ? month : reserveFromCredits(database, { charge, now, used: month.used })
    },

    async settle(chargeId, credits) {
      await database.batch(settlement(database, sql`charge_id = ${chargeId}`, sql`${credits}`))
    },

    async refundAbandoned(openedBefore) {
      const abandoned = sql`((state = 'call' AND created_at < ${openedBefore.call})
        OR (state = 'job' AND created_at < ${openedBefore.job} AND ${OWNERLESS}))`
      const some = sql`SELECT charge_id AS id FROM ledger WHERE ${abandoned} LIMIT ${REFUNDED_AT_ONCE}`
      let refunded = 0
      for (let isMore = true; isMore; ) {
        const ids = (await database.all<{ id: string }>(some)).map(({ id }) => id)
        const those = sql`charge_id IN (SELECT value FROM json_each(${JSON.stringify(ids)})) AND +${abandoned}`
        if (ids.length > 0) await database.batch(settlement(database, those, sql`0`))
        refunded += ids.length
        isMore = ids.length === REFUNDED_AT_ONCE
      }
      return refunded
    },

    async usedBy(subject, period) {
      const rows = await database.all<{ used: number }>(
        sql`SELECT used FROM usage WHERE subject = ${subject} AND period = ${period}`,
      )
      return rows[0]?.used ?? 0
    },

    async countedFor(owner) {
      const rows = await database.all<{ used: number }>(
        sql`SELECT ${countedOf(owner)} AS used FROM usage WHERE subject = ${owner.subject} AND period = ${owner.period}`,
      )
      return rows[0]?.used ?? 0
    },

    async creditsOf(subject) {
      const rows = await database.all<{ credits: number | null }>(
        sql`SELECT credits FROM accounts WHERE account_id = ${subject}`,
      )
      return rows[0]?.credits ?? null
    },
  }
}

const isNew = ({ chargeId }: Charge) =>
  sql`EXISTS (SELECT 1 FROM ledger WHERE charge_id = ${chargeId} AND state = 'reserving')`

/** Jobs and pending verifications share the id of their charge; a sync has one charge per page, "syn_….0.3". */
const OWNERLESS = sql`((charge_id GLOB 'job_*' AND charge_id NOT IN (SELECT job_id FROM jobs))
  OR (charge_id GLOB 'ver_*' AND charge_id NOT IN (SELECT verification_id FROM pending_verifications))
  OR (charge_id GLOB 'syn_*.*'
    AND substr(charge_id, 1, instr(charge_id, '.') - 1) NOT IN (SELECT sync_id FROM integration_syncs)))`

/** A charge that settled at 0 paid for nothing: its id may be charged again. */
const REOPENING = sql`ON CONFLICT (charge_id) DO UPDATE SET subject = excluded.subject, key_id = excluded.key_id,
  period = excluded.period, reserved = excluded.reserved, settled = NULL, state = excluded.state,
  source = excluded.source, created_at = excluded.created_at WHERE state = 'settled' AND settled = 0`

/**
 * The usage that counts for a key. A key below its account's plan, or below a better key, has the month of its own tier
 * with equal and lower keys. Otherwise better keys would use it up before the first call. Sums of keys include bought
 * credits, so they are added up; the usage of better keys is not subtracted.
 */
function countedOf({ subject, keyId, period }: Pick<Charge, "subject" | "keyId" | "period">) {
  const own = sql`(SELECT ${TIER_RANK} FROM api_keys WHERE key_id = ${keyId})`
  const ofAccount = sql`FROM api_keys WHERE account_id = ${subject} AND ${TIER_RANK}`
  return sql`CASE WHEN EXISTS (SELECT 1 FROM accounts WHERE account_id = ${subject} AND ${TIER_RANK} > ${own})
      OR EXISTS (SELECT 1 ${ofAccount} > ${own})
    THEN min(used, coalesce((SELECT sum(u.used) FROM usage AS u WHERE u.period = ${period}
      AND u.subject IN (SELECT key_id ${ofAccount} <= ${own})), 0))
    ELSE used END`
}

/** Reserves from the monthly allowance in one round trip. */
async function reserveFromMonth(database: Database, charge: Charge, now: number): Promise<Reservation> {
  const { chargeId, subject, limit, keyId, period, credits } = charge
  const [, , , , , ledgerRows, usageRows] = await database.batch([
    database.run(sql`INSERT OR IGNORE INTO usage (subject, period, used) VALUES (${subject}, ${period}, 0)`),
    database.run(sql`INSERT INTO ledger (charge_id, subject, key_id, period, reserved, state, source, created_at)
      SELECT ${chargeId}, ${subject}, ${keyId}, ${period}, ${credits}, 'reserving', 'month', ${now} FROM usage
      WHERE subject = ${subject} AND period = ${period} AND (${limit} IS NULL OR used + ${credits} <= ${limit}
        OR ${countedOf(charge)} + ${credits} <= ${limit})
      ${REOPENING}`),
    database.run(sql`UPDATE usage SET used = used + ${credits}
      WHERE subject = ${subject} AND period = ${period} AND ${isNew(charge)}`),
    ...bookkeeping(database, charge),
    database.all<{ used: number }>(sql`SELECT CASE WHEN ${limit} IS NULL THEN used
      ELSE ${countedOf(charge)} END AS used FROM usage WHERE subject = ${subject} AND period = ${period}`),
  ])
  return { granted: ledgerRows.length > 0, used: usageRows[0]?.used ?? 0, creditsLeft: null }
}

/** Runs only when the month is used up, so that the common case stays one round trip. */
async function reserveFromCredits(
  database: Database,
  { charge, now, used }: { charge: Charge; now: number; used: number },
): Promise<Reservation> {
  const { chargeId, subject, keyId, period, credits } = charge
  const [, , , , ledgerRows, accountRows] = await database.batch([
    database.run(sql`INSERT INTO ledger (charge_id, subject, key_id, period, reserved, state, source, created_at)
      SELECT ${chargeId}, ${subject}, ${keyId}, ${period}, ${credits}, 'reserving', 'credits', ${now} FROM accounts
      WHERE account_id = ${subject} AND credits >= ${credits} ${REOPENING}`),
    database.run(
      sql`UPDATE accounts SET credits = credits - ${credits} WHERE account_id = ${subject} AND ${isNew(charge)}`,
    ),
    ...bookkeeping(database, charge),
    database.all<{ credits: number | null }>(sql`SELECT credits FROM accounts WHERE account_id = ${subject}`),
  ])
  return { granted: ledgerRows.length > 0, used, creditsLeft: accountRows[0]?.credits ?? null }
}

/** Counts a new charge for its key, opens it, and reads whether an open charge exists. */
function bookkeeping(database: Database, charge: Charge) {
  const { chargeId, keyId, period, credits, kind } = charge
  return [
    database.run(sql`INSERT INTO usage (subject, period, used) SELECT ${keyId}, ${period}, ${credits}
      WHERE ${keyId} IS NOT NULL AND ${isNew(charge)}
      ON CONFLICT (subject, period) DO UPDATE SET used = used + ${credits}`),
    database.run(sql`UPDATE ledger SET state = ${kind} WHERE charge_id = ${chargeId} AND state = 'reserving'`),
    database.all<{ present: number }>(sql`SELECT 1 AS present FROM ledger
      WHERE charge_id = ${chargeId} AND (settled IS NULL OR settled > 0)`),
  ] as const
}

/**
 * Settles the open charges matched by `which` at `credits` each and refunds the rest to its source. The keys of the
 * changed rows come first, because `usage` has a row for each key and month. The plus makes SQLite start from the
 * matched charges: there may be many open ones.
 */
function settlement(database: Database, which: ReturnType<typeof sql>, credits: ReturnType<typeof sql>) {
  const open = sql`+state IN ('call', 'job') AND ${which}`
  const givenBack = (column: "subject" | "key_id", more = sql`1`) => {
    const name = sql.raw(`ledger.${column}`)
    const charges = sql`FROM ledger WHERE ${more} AND ${open}`
    return sql`UPDATE usage SET used = used - (SELECT sum(max(0, reserved - ${credits})) ${charges}
        AND ${name} = usage.subject AND ledger.period = usage.period)
      WHERE (subject, period) IN (SELECT ${name}, ledger.period ${charges} AND ${name} IS NOT NULL)`
  }
  const bought = sql`FROM ledger WHERE source = 'credits' AND ${open}`
  return [
    database.run(givenBack("subject", sql`source = 'month'`)),
    database.run(givenBack("key_id")),
    database.run(sql`UPDATE accounts
      SET credits = credits + (SELECT sum(max(0, reserved - ${credits})) ${bought} AND ledger.subject = accounts.account_id)
      WHERE account_id IN (SELECT ledger.subject ${bought})`),
    database.run(sql`UPDATE ledger SET state = 'settled', settled = ${credits} WHERE ${open}`),
  ] as const
}

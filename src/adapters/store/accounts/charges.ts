import { type SQL, sql } from "drizzle-orm"
import type { ChargeSource } from "../../../../schema/vocabulary.ts"
import type { LeaseSettlement, LeaseTerms } from "../../../domain/accounts/lease-book.ts"
import type { Database } from "../database.ts"
import { valuesOf } from "../json-rows.ts"
import { countedOf, type LedgerLease, type LedgerReservation, reserveFrom, settlement } from "./ledger-sql.ts"

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
  /** The id is random, and the call settles: the limiter may spend the credits from a lease. */
  readonly isLeasable?: true
}

export interface Reservation {
  readonly granted: boolean
  /** The limiter spent the credits from a lease, so it also settles them. */
  readonly isLeased?: true
  /** Credits used in the month, as far as they count for this charge's key. */
  readonly used: number
  /** Bought credits after this; null when none were ever bought, or the month sufficed. */
  readonly creditsLeft: number | null
}

/** Recalls leases. @returns whether credits may have been given back */
export type Recall = (leases: readonly LedgerLease[]) => Promise<boolean>

export type ChargeStore = ReturnType<typeof createChargeStore>

/** Charges refunded by one statement: it scans all of them for each key and network, so the number is limited. */
const REFUNDED_AT_ONCE = 500

/** Credits as conditional statements over `usage`, `accounts` and `ledger` (schema/tables/accounts.ts). */
export function createChargeStore(database: Database) {
  const settle = async (which: SQL, credits: number) => {
    const set = sql`state = 'settled', settled = ${credits}`
    const [month, key, bought, row] = settlement({ which, keep: sql`${credits}`, set })
    await database.batch([database.run(month), database.run(key), database.run(bought), database.run(row)])
  }
  return {
    /**
     * Reserves all credits or none in one conditional statement, so that parallel calls never overdraw. First from the
     * month, then from bought credits. @param recall called before the month is refused, without it leases count as used
     */
    async reserve(
      { kind, credits, ...charge }: Charge,
      now: number,
      recall: Recall = async () => false,
    ): Promise<Reservation> {
      const entry = {
        ...charge,
        state: kind,
        gate: null,
        least: credits,
        size: () => sql`${credits}`,
        onConflict: REOPENING,
        isUsable: sql`(settled IS NULL OR settled > 0)`,
      }
      const month = await afterRecalls(recall, () => reserveFrom(database, "month", { entry, now }))
      if (month.reserved !== null) return { granted: true, used: month.used, creditsLeft: null }
      // Runs only when the month is used up, so that the common case stays one round trip.
      const { reserved, creditsLeft } = await reserveFrom(database, "credits", { entry, now })
      return { granted: reserved !== null, used: month.used, creditsLeft }
    },

    /** Charges the actual cost and refunds the rest. Settling twice changes nothing. */
    async settle(chargeId: string, credits: number) {
      await settle(sql`charge_id = ${chargeId}`, credits)
    },

    /** Refunds old charges that will never be settled: calls, charges of deleted jobs, and leases. @returns their number */
    async refundAbandoned(openedBefore: Readonly<Record<Charge["kind"] | "lease", number>>): Promise<number> {
      const abandoned = sql`((state = 'call' AND created_at < ${openedBefore.call})
        OR (state = 'lease' AND created_at < ${openedBefore.lease})
        OR (state = 'job' AND created_at < ${openedBefore.job} AND ${OWNERLESS}))`
      const some = sql`SELECT charge_id AS id FROM ledger WHERE ${abandoned} LIMIT ${REFUNDED_AT_ONCE}`
      let refunded = 0
      for (let isMore = true; isMore; ) {
        const ids = (await database.all<{ id: string }>(some)).map(({ id }) => id)
        const those = sql`charge_id IN ${valuesOf(ids)} AND +${abandoned}`
        if (ids.length > 0) await settle(those, 0)
        refunded += ids.length
        isMore = ids.length === REFUNDED_AT_ONCE
      }
      return refunded
    },

    async usedBy(subject: string, period: string): Promise<number> {
      const rows = await database.all<{ used: number }>(
        sql`SELECT used FROM usage WHERE subject = ${subject} AND period = ${period}`,
      )
      return rows[0]?.used ?? 0
    },

    /** Usage that counts against a key's limit: without the usage of the account's better keys. */
    async countedFor(owner: Pick<Charge, "subject" | "keyId" | "period">): Promise<number> {
      const rows = await database.all<{ used: number }>(
        sql`SELECT ${countedOf(owner)} AS used FROM usage WHERE subject = ${owner.subject} AND period = ${owner.period}`,
      )
      return rows[0]?.used ?? 0
    },

    /** Remaining bought credits; null when none were ever bought. */
    async creditsOf(subject: string): Promise<number | null> {
      const rows = await database.all<{ credits: number | null }>(
        sql`SELECT credits FROM accounts WHERE account_id = ${subject}`,
      )
      return rows[0]?.credits ?? null
    },
  }
}

/** Jobs and pending verifications share the id of their charge; a sync has one charge per page, "syn_….0.3". */
const OWNERLESS = sql`((charge_id GLOB 'job_*' AND charge_id NOT IN (SELECT job_id FROM jobs))
  OR (charge_id GLOB 'ver_*' AND charge_id NOT IN (SELECT verification_id FROM pending_verifications))
  OR (charge_id GLOB 'syn_*.*'
    AND substr(charge_id, 1, instr(charge_id, '.') - 1) NOT IN (SELECT sync_id FROM integration_syncs)))`

/** A charge that settled at 0 paid for nothing: its id may be charged again. */
const REOPENING = sql`ON CONFLICT (charge_id) DO UPDATE SET subject = excluded.subject, key_id = excluded.key_id,
  period = excluded.period, reserved = excluded.reserved, settled = NULL, state = excluded.state,
  source = excluded.source, created_at = excluded.created_at WHERE state = 'settled' AND settled = 0`

/** Recalls at most this often before a refusal: meanwhile others may take what was given back. */
const MOST_RECALLS = 3

/** Repeats a refused reservation as long as recalled leases give credits back. */
export async function afterRecalls<
  T extends { readonly reserved: number | null; readonly leases: readonly LedgerLease[] },
>(recall: Recall, reserve: () => Promise<T>): Promise<T> {
  let last = await reserve()
  for (let n = 0; n < MOST_RECALLS && last.reserved === null && last.leases.length > 0; n++) {
    if (!(await recall(last.leases))) break
    last = await reserve()
  }
  return last
}

/** The largest part of the remaining credits in a block: a fiftieth. */
const SHARE = 50

interface LeaseRequest extends LeaseTerms {
  readonly id: string
  /** The limiter that holds the lease. */
  readonly gate: string
  /** Credits of one call. With less, nothing is leased. */
  readonly least: number
  /** Credits of all waiting calls, a multiple of `least`. */
  readonly waiting: number
  /** The size of a block. It is at most 2 % of the remaining credits. */
  readonly wanted: number
  /** Settlements that are stored first. */
  readonly settlements: readonly LeaseSettlement[]
}

/** Blocks of credits that limiters hold (src/domain/accounts/lease-book.ts). */
export type LeaseStore = ReturnType<typeof createLeaseStore>

export function createLeaseStore(database: Database) {
  return {
    /** Opens a lease in one conditional write. Repeated with the same id, it returns the same lease. */
    open(
      { id, least, waiting, wanted, settlements, ...owner }: LeaseRequest,
      source: ChargeSource,
      now: number,
    ): Promise<LedgerReservation> {
      // The client sends numbers as floats, so each division is rounded down.
      const whole = (quotient: SQL) => sql`CAST(${quotient} AS INTEGER)`
      const size = (left: SQL | null) =>
        left === null
          ? sql`${Math.max(least, waiting, wanted)}`
          : sql`max(${least}, min(${wanted}, ${whole(sql`${left} / ${SHARE}`)}),
              ${least} * ${whole(sql`min(${waiting}, ${left}) / ${least}`)})`
      const entry = {
        ...owner,
        chargeId: id,
        state: "lease" as const,
        least,
        size,
        onConflict: sql`ON CONFLICT DO NOTHING`,
        isUsable: sql`state = 'lease'`,
      }
      return reserveFrom(database, source, { entry, now, before: settlements.length > 0 ? ended(settlements) : [] })
    },

    async settle(settlements: readonly LeaseSettlement[]) {
      if (settlements.length === 0) return
      const [first, ...others] = ended(settlements).map((statement) => database.run(statement))
      if (first) await database.batch([first, ...others])
    },

    /** The open leases of these accounts or networks. */
    openOf: (subjects: readonly string[]): Promise<LedgerLease[]> =>
      database.all<LedgerLease>(sql`SELECT charge_id AS id, gate FROM ledger
        WHERE subject IN ${valuesOf(subjects)} AND state = 'lease'`),
  }
}

/** The order of settlements of one lease does not matter: credits once returned are never reserved again. */
function ended(settlements: readonly LeaseSettlement[]): readonly SQL[] {
  const all = sql`json_each(${JSON.stringify(settlements)})`
  const own = (field: "keep" | "paid") =>
    sql`(SELECT value ->> ${field} FROM ${all} WHERE value ->> 'id' = ledger.charge_id)`
  return settlement({
    which: sql`charge_id IN (SELECT value ->> 'id' FROM ${all})`,
    keep: own("keep"),
    set: sql`reserved = min(reserved, ${own("keep")}), settled = ${own("paid")},
      state = CASE WHEN ${own("paid")} IS NULL THEN state ELSE 'settled' END`,
  })
}

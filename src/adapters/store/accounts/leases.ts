import { type SQL, sql } from "drizzle-orm"
import type { ChargeSource } from "../../../../schema/vocabulary.ts"
import type { LeaseSettlement, LeaseTerms } from "../../../domain/accounts/lease-book.ts"
import type { Database } from "../database.ts"
import { type LedgerLease, type LedgerReservation, reserveFrom, settlement } from "./ledger-sql.ts"

/** The largest part of the remaining credits in a block: a fiftieth. */
const SHARE = 50

export interface LeaseRequest extends LeaseTerms {
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
export interface LeaseStore {
  /** Opens a lease in one conditional write. Repeated with the same id, it returns the same lease. */
  open(request: LeaseRequest, source: ChargeSource, now: number): Promise<LedgerReservation>
  settle(settlements: readonly LeaseSettlement[]): Promise<void>
  /** The open leases of these accounts or networks. */
  openOf(subjects: readonly string[]): Promise<LedgerLease[]>
}

export function createLeaseStore(database: Database): LeaseStore {
  return {
    open({ id, least, waiting, wanted, settlements, ...owner }, source, now) {
      // The client sends numbers as floats, so each division is rounded down.
      const whole = (quotient: SQL) => sql`CAST(${quotient} AS INTEGER)`
      const size = (left: SQL | null) =>
        left === null
          ? sql`${Math.max(least, waiting, wanted)}`
          : sql`max(${least}, min(${wanted}, ${whole(sql`${left} / ${SHARE}`)}),
              ${least} * ${whole(sql`min(${waiting}, ${left}) / ${least}`)})`
      const entry = {
        ...{ ...owner, chargeId: id, state: "lease" as const, least, size },
        onConflict: sql`ON CONFLICT DO NOTHING`,
        isUsable: sql`state = 'lease'`,
      }
      return reserveFrom(database, source, { entry, now, before: settlements.length > 0 ? ended(settlements) : [] })
    },

    async settle(settlements) {
      if (settlements.length === 0) return
      const [first, ...others] = ended(settlements).map((statement) => database.run(statement))
      if (first) await database.batch([first, ...others])
    },

    openOf: (subjects) =>
      database.all<LedgerLease>(sql`SELECT charge_id AS id, gate FROM ledger
        WHERE subject IN (SELECT value FROM json_each(${JSON.stringify(subjects)})) AND state = 'lease'`),
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

import { sql } from "drizzle-orm"
import { rechecks } from "../../../../schema/tables/rechecks.ts"
import type { Database } from "../database.ts"

export interface Recheck {
  readonly address: string
  readonly attempt: number
}

export interface RecheckStore {
  /** Schedules a new probe of an address; an existing schedule stays. */
  schedule(address: string, dueAt: number): Promise<void>
  /**
   * Leases up to `limit` due addresses, one per account in turn, so that a list of a hundred thousand delays no other
   * account. After a crash they are due again at `againAt`.
   */
  lease(options: { now: number; againAt: number; limit: number }): Promise<Recheck[]>
  /** Extends the lease of addresses. After a crash they are due again at `againAt`. Postponed ones keep their time. */
  renew(addresses: readonly string[], againAt: number): Promise<void>
  postpone(turns: readonly (Recheck & { readonly dueAt: number })[]): Promise<void>
  remove(addresses: readonly string[]): Promise<void>
}

/** Due addresses considered, the oldest first. */
const MAX_CANDIDATES = 100_000
/** The row names no account. Addresses without a history share the one turn of all anonymous callers. */
const ACCOUNT_OF = sql`(SELECT v.account_id FROM verifications AS v
  WHERE v.domain = substr(r.address, instr(r.address, '@') + 1) AND v.address = r.address COLLATE NOCASE LIMIT 1)`

export function createRecheckStore(database: Database): RecheckStore {
  return {
    async schedule(address, dueAt) {
      await database.insert(rechecks).values({ address, attempt: 0, dueAt }).onConflictDoNothing()
    },

    async lease({ now, againAt, limit }) {
      const oldest = sql`SELECT address, due_at FROM rechecks WHERE due_at <= ${now} ORDER BY due_at LIMIT ${MAX_CANDIDATES}`
      const due = sql`(SELECT address FROM (${oldest}) AS r
        ORDER BY row_number() OVER (PARTITION BY ${ACCOUNT_OF} ORDER BY due_at), due_at LIMIT ${limit})`
      return database
        .update(rechecks)
        .set({ dueAt: againAt })
        .where(sql`${rechecks.address} IN ${due}`)
        .returning({ address: rechecks.address, attempt: rechecks.attempt })
    },

    async renew(addresses, againAt) {
      await database.run(sql`UPDATE rechecks SET due_at = ${againAt}
        WHERE address IN (SELECT value FROM json_each(${JSON.stringify(addresses)})) AND due_at < ${againAt}`)
    },

    async postpone(turns) {
      const rows = JSON.stringify(turns.map(({ address, attempt, dueAt }) => [address, attempt, dueAt]))
      await database.run(sql`WITH t AS MATERIALIZED (
          SELECT value ->> 0 AS address, value ->> 1 AS attempt, value ->> 2 AS due_at FROM json_each(${rows}))
        UPDATE rechecks SET attempt = t.attempt, due_at = t.due_at FROM t WHERE rechecks.address = t.address`)
    },

    async remove(addresses) {
      await database.run(
        sql`DELETE FROM rechecks WHERE address IN (SELECT value FROM json_each(${JSON.stringify(addresses)}))`,
      )
    },
  }
}

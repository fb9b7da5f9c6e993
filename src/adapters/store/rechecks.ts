import { sql } from "drizzle-orm"
import { rechecks } from "../../../schema/tables/rechecks.ts"
import type { Database } from "./database.ts"

export interface Recheck {
  readonly address: string
  readonly attempt: number
}

export interface RecheckStore {
  /** Notes that an address is to be asked again; one that is noted already keeps its turn. */
  note(address: string, dueAt: number): Promise<void>
  /**
   * Takes up to `limit` that are due, the oldest of each account that asked, then the next of each: a list of a hundred
   * thousand holds nobody else's up. They come back at `againAt` should their taker die.
   */
  take(options: { now: number; againAt: number; limit: number }): Promise<Recheck[]>
  postpone(turns: readonly (Recheck & { readonly dueAt: number })[]): Promise<void>
  forget(addresses: readonly string[]): Promise<void>
}

/** Of so many that are due the longest. */
const LOOKED_AT = 100_000
/** The row names no account. An address in nobody's history was a stranger's: all strangers have one turn together. */
const ASKED_BY = sql`(SELECT v.account_id FROM verifications AS v
  WHERE v.domain = substr(r.address, instr(r.address, '@') + 1) AND v.address = r.address COLLATE NOCASE LIMIT 1)`

export function createRecheckStore(database: Database): RecheckStore {
  return {
    async note(address, dueAt) {
      await database.insert(rechecks).values({ address, attempt: 0, dueAt }).onConflictDoNothing()
    },

    async take({ now, againAt, limit }) {
      const oldest = sql`SELECT address, due_at FROM rechecks WHERE due_at <= ${now} ORDER BY due_at LIMIT ${LOOKED_AT}`
      const due = sql`(SELECT address FROM (${oldest}) AS r
        ORDER BY row_number() OVER (PARTITION BY ${ASKED_BY} ORDER BY due_at), due_at LIMIT ${limit})`
      return database
        .update(rechecks)
        .set({ dueAt: againAt })
        .where(sql`${rechecks.address} IN ${due}`)
        .returning({ address: rechecks.address, attempt: rechecks.attempt })
    },

    async postpone(turns) {
      const rows = JSON.stringify(turns.map(({ address, attempt, dueAt }) => [address, attempt, dueAt]))
      await database.run(sql`WITH t AS MATERIALIZED (
          SELECT value ->> 0 AS address, value ->> 1 AS attempt, value ->> 2 AS due_at FROM json_each(${rows}))
        UPDATE rechecks SET attempt = t.attempt, due_at = t.due_at FROM t WHERE rechecks.address = t.address`)
    },

    async forget(addresses) {
      await database.run(
        sql`DELETE FROM rechecks WHERE address IN (SELECT value FROM json_each(${JSON.stringify(addresses)}))`,
      )
    },
  }
}

import { eq, lte, sql } from "drizzle-orm"
import { rechecks } from "../../../schema/tables/rechecks.ts"
import type { Database } from "./database.ts"

export interface Recheck {
  readonly address: string
  readonly attempt: number
}

export interface RecheckStore {
  /** Notes that an address is to be asked again; one that is noted already keeps its turn. */
  note(address: string, dueAt: number): Promise<void>
  /** Takes up to `limit` that are due; they come back at `againAt` should their taker die. */
  take(options: { now: number; againAt: number; limit: number }): Promise<Recheck[]>
  postpone(address: string, next: { attempt: number; dueAt: number }): Promise<void>
  forget(addresses: readonly string[]): Promise<void>
}

export function createRecheckStore(database: Database): RecheckStore {
  return {
    async note(address, dueAt) {
      await database.insert(rechecks).values({ address, attempt: 0, dueAt }).onConflictDoNothing()
    },

    async take({ now, againAt, limit }) {
      const due = database
        .select({ address: rechecks.address })
        .from(rechecks)
        .where(lte(rechecks.dueAt, now))
        .limit(limit)
      return database
        .update(rechecks)
        .set({ dueAt: againAt })
        .where(sql`${rechecks.address} IN ${due}`)
        .returning({ address: rechecks.address, attempt: rechecks.attempt })
    },

    async postpone(address, next) {
      await database.update(rechecks).set(next).where(eq(rechecks.address, address))
    },

    async forget(addresses) {
      await database.run(
        sql`DELETE FROM rechecks WHERE address IN (SELECT value FROM json_each(${JSON.stringify(addresses)}))`,
      )
    },
  }
}

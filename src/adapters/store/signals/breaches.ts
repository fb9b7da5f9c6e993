import { and, eq, gt, inArray, lte, sql } from "drizzle-orm"
import { breachAnswers, breachedAddresses, breaches } from "../../../../schema/tables/signals.ts"
import type { Breach } from "../../signals/breach-source.ts"
import type { Database } from "../database.ts"
import { countInBatches } from "../in-batches.ts"
import { jsonRows } from "../json-rows.ts"

export type BreachSet = typeof breaches.$inferSelect

export type BreachAnswer = Omit<typeof breachAnswers.$inferSelect, "digest" | "breaches"> & {
  readonly breaches: readonly Breach[]
}

export type BreachStore = ReturnType<typeof createBreachStore>

/** Rows per scan. The addresses of a breach have no index, and there may be hundreds of millions. */
const COUNTED_AT_ONCE = 500_000

export function createBreachStore(database: Database) {
  return {
    /** The imported breaches, newest first. */
    sets: (): Promise<BreachSet[]> => database.select().from(breaches).orderBy(sql`${breaches.importedAt} DESC`),

    /** The imported breaches of an address. @param digests its keyed digest, one for each active pepper */
    async findMany(digests: readonly string[]): Promise<Breach[]> {
      const rows = await database
        .selectDistinct({ name: breaches.name, breachedOn: breaches.breachedOn })
        .from(breachedAddresses)
        .innerJoin(breaches, eq(breaches.name, breachedAddresses.breach))
        .where(inArray(breachedAddresses.digest, [...digests]))
      return rows.map((row) => ({ ...row, exposed: [] }))
    },

    /** A service's earlier answer, while it is valid. */
    async answer(digests: readonly string[], now: number): Promise<BreachAnswer | null> {
      const [row] = await database
        .select()
        .from(breachAnswers)
        .where(and(inArray(breachAnswers.digest, [...digests]), gt(breachAnswers.expiresAt, now)))
      if (!row) return null
      return { breaches: row.breaches as Breach[], answeredAt: row.answeredAt, expiresAt: row.expiresAt }
    },

    async saveAnswer(digest: string, answer: BreachAnswer) {
      await database
        .insert(breachAnswers)
        .values({ digest, ...answer })
        .onConflictDoUpdate({ target: breachAnswers.digest, set: answer })
    },

    async deleteExpiredAnswers(now: number) {
      await database.delete(breachAnswers).where(lte(breachAnswers.expiresAt, now))
    },

    /** Adds addresses to a breach by their digests; existing ones stay. */
    async add(rows: readonly { digest: string; breach: string }[]) {
      await database.run(sql`INSERT OR IGNORE INTO breached_addresses (digest, breach)
        SELECT value ->> 0, value ->> 1 FROM json_each(${jsonRows(rows, "digest", "breach")})`)
    },

    /** Registers a breach after its addresses were added, and counts them. */
    async saveSet({ name, ...set }: Omit<BreachSet, "addresses">) {
      const where = sql`breach = ${name}`
      const addresses = await countInBatches(database, { table: "breached_addresses", where, scanned: COUNTED_AT_ONCE })
      const row = { ...set, addresses }
      await database
        .insert(breaches)
        .values({ name, ...row })
        .onConflictDoUpdate({ target: breaches.name, set: row })
    },
  }
}

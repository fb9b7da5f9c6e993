import { sql } from "drizzle-orm"
import { accountErasures } from "../../../../schema/tables/account-erasures.ts"
import type { Database } from "../database.ts"

export type AccountErasure = typeof accountErasures.$inferSelect

/** Erasures of accounts, by keyed hash. They hide stored results; `SuppressionStore.flags` reads them for responses. */
export interface AccountErasureStore {
  /** Whether the account erased anything; most accounts did not. */
  has(accountId: string): Promise<boolean>
  /** Adds an erasure; it replaces an earlier one of the same subject. */
  add(erasure: AccountErasure): Promise<void>
  /**
   * Shows results again that were verified for the account after the erasure.
   * @param subjects hashes under every pepper, and the time just before the account's own verification (Unix ms)
   */
  showSince(accountId: string, subjects: readonly { hash: string; hidesUntil: number }[]): Promise<void>
  /** Keyed hashes of the account's erasures since a time (Unix ms). */
  since(accountId: string, erasedSince: number): Promise<Set<string>>
}

export function createAccountErasureStore(database: Database): AccountErasureStore {
  return {
    async has(accountId) {
      const rows = await database.all(sql`SELECT 1 FROM account_erasures WHERE account_id = ${accountId} LIMIT 1`)
      return rows.length > 0
    },

    async add(erasure) {
      await database
        .insert(accountErasures)
        .values(erasure)
        .onConflictDoUpdate({ target: [accountErasures.accountId, accountErasures.subjectHash], set: erasure })
    },

    async showSince(accountId, subjects) {
      const rows = JSON.stringify(subjects.map(({ hash, hidesUntil }) => [hash, hidesUntil]))
      await database.run(sql`WITH s AS MATERIALIZED (
          SELECT value ->> 0 AS hash, value ->> 1 AS until FROM json_each(${rows}))
        UPDATE account_erasures SET hides_until = s.until FROM s
        WHERE account_id = ${accountId} AND subject_hash = s.hash AND hides_until IS NULL AND erased_at <= s.until`)
    },

    async since(accountId, erasedSince) {
      const rows = await database.all<{ hash: string }>(sql`SELECT subject_hash AS hash FROM account_erasures
        WHERE account_id = ${accountId} AND erased_at >= ${erasedSince}`)
      return new Set(rows.map(({ hash }) => hash))
    },
  }
}

import { eq, sql } from "drizzle-orm"
import { idempotency } from "../../../../schema/tables/accounts.ts"
import type { Database } from "../database.ts"
import { deleteInBatches } from "../in-batches.ts"

interface StoredResponse {
  readonly status: number
  readonly body: string
}

type Claim =
  /** `since` is the time of the first request. A retry after a lost request keeps it. */
  | { readonly kind: "ours"; readonly since: number }
  | { readonly kind: "running" }
  | { readonly kind: "another_request" }
  | { readonly kind: "answered"; readonly answer: StoredResponse; readonly since: number }

/** What an earlier request left under a key: its hash, and its answer once it has one. */
interface Earlier {
  readonly hash: string
  /** Null while the request runs. `since` is the time of the first request. */
  readonly answered: { readonly answer: StoredResponse; readonly since: number } | null
}

export function createIdempotencyStore(database: Database) {
  return {
    /** What blocks a claim of the key. Null without an earlier request, or when that may run again. Claims nothing. */
    async find(key: string, now: number): Promise<Earlier | null> {
      const [row] = await database.select().from(idempotency).where(eq(idempotency.requestKey, key))
      if (!row) return null
      const { requestHash: hash, status, body, createdAt: since, heldUntil } = row
      if (status !== null && body !== null) return { hash, answered: { answer: { status, body }, since } }
      return heldUntil < now ? null : { hash, answered: null }
    },

    /** Claims the key for this request, or returns the state of the earlier request. */
    async claim({
      key,
      hash,
      now,
      heldUntil,
    }: {
      key: string
      hash: string
      now: number
      heldUntil: number
    }): Promise<Claim> {
      const [claimed, rows] = await database.batch([
        database.all<{ since: number }>(sql`
          INSERT INTO idempotency (request_key, request_hash, created_at, held_until) VALUES (${key}, ${hash}, ${now}, ${heldUntil})
          ON CONFLICT (request_key) DO UPDATE SET held_until = excluded.held_until
          WHERE request_hash = excluded.request_hash AND status IS NULL AND held_until < ${now}
          RETURNING created_at AS since`),
        database.select().from(idempotency).where(eq(idempotency.requestKey, key)),
      ])
      if (claimed[0]) return { kind: "ours", since: claimed[0].since }
      const row = rows[0]
      if (!row || row.requestHash !== hash) return { kind: "another_request" }
      if (row.status === null || row.body === null) return { kind: "running" }
      return { kind: "answered", answer: { status: row.status, body: row.body }, since: row.createdAt }
    },

    /** Claims the key of a stored response for its request, which runs again. @returns false if a retry was first */
    async restart(
      key: string,
      { since, now, heldUntil }: { since: number; now: number; heldUntil: number },
    ): Promise<boolean> {
      const { rowsAffected } = await database.run(sql`UPDATE idempotency
        SET status = NULL, body = NULL, created_at = ${now}, held_until = ${heldUntil}
        WHERE request_key = ${key} AND created_at = ${since} AND status IS NOT NULL`)
      return rowsAffected > 0
    },

    async storeResponse(key: string, { status, body }: StoredResponse) {
      await database.update(idempotency).set({ status, body }).where(eq(idempotency.requestKey, key))
    },

    /** Stores the key without a response: a retry of the same request runs again under the same id. */
    async reopen(key: string) {
      await database.update(idempotency).set({ heldUntil: 0 }).where(eq(idempotency.requestKey, key))
    },

    /** Releases the key after a failure that may be retried. */
    async release(key: string) {
      await database.delete(idempotency).where(eq(idempotency.requestKey, key))
    },

    /** @returns the number of deleted keys */
    async deleteBefore(createdBefore: number): Promise<number> {
      return deleteInBatches(database, { table: "idempotency", where: sql`created_at < ${createdBefore}` })
    },
  }
}

import { eq, sql } from "drizzle-orm"
import { idempotency } from "../../../schema/tables/idempotency.ts"
import type { Database } from "./database.ts"
import { deleteInPieces } from "./in-pieces.ts"

interface KeptAnswer {
  readonly status: number
  readonly body: string
}

type Claim =
  /** `since` is when the request was first made, which a retry that takes over from a dead one keeps. */
  | { readonly kind: "ours"; readonly since: number }
  | { readonly kind: "running" }
  | { readonly kind: "another_request" }
  | { readonly kind: "answered"; readonly answer: KeptAnswer }

export interface IdempotencyStore {
  /** Takes the key for this request, or says what became of the request that has it. */
  claim(request: { key: string; hash: string; now: number; heldUntil: number }): Promise<Claim>
  keep(key: string, answer: KeptAnswer): Promise<void>
  /** Keeps whose the key is without an answer: a retry of the same request runs again, under the same name. */
  reopen(key: string): Promise<void>
  /** Gives the key back: the request failed in a way that may be tried again. */
  release(key: string): Promise<void>
  /** @returns how many were older */
  deleteBefore(createdBefore: number): Promise<number>
}

export function createIdempotencyStore(database: Database): IdempotencyStore {
  return {
    async claim({ key, hash, now, heldUntil }) {
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
      return { kind: "answered", answer: { status: row.status, body: row.body } }
    },

    async keep(key, { status, body }) {
      await database.update(idempotency).set({ status, body }).where(eq(idempotency.requestKey, key))
    },

    async reopen(key) {
      await database.update(idempotency).set({ heldUntil: 0 }).where(eq(idempotency.requestKey, key))
    },

    async release(key) {
      await database.delete(idempotency).where(eq(idempotency.requestKey, key))
    },

    async deleteBefore(createdBefore) {
      return deleteInPieces(database, { table: "idempotency", where: sql`created_at < ${createdBefore}` })
    },
  }
}

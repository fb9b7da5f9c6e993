import { and, asc, eq, inArray, lte, or, sql } from "drizzle-orm"
import { pendingVerifications } from "../../../../schema/tables/pending.ts"
import type { PendingState } from "../../../../schema/vocabulary.ts"
import type { Evidence } from "../../../domain/verification/evidence.ts"
import type { Database } from "../database.ts"
import { deleteInBatches } from "../in-batches.ts"

export interface PendingVerification {
  readonly verificationId: string
  readonly accountId: string | null
  readonly keyId: string | null
  readonly email: string
  readonly state: PendingState
  readonly webhookUrl: string
  readonly chargeId: string | null
  readonly attempts: number
  /** Null until it is complete, and when the result's own row holds the evidence. */
  readonly evidence: Evidence | null
  /** Unix milliseconds, both. */
  readonly createdAt: number
  readonly completedAt: number | null
}

export type NewPending = Omit<PendingVerification, "attempts" | "evidence">

export interface PendingStore {
  /** An existing row with the same id stays unchanged. */
  add(pending: NewPending): Promise<void>
  find(verificationId: string): Promise<PendingVerification | null>
  /** Leases a verification until `leaseUntil`, unless it is leased or final. */
  claim(verificationId: string, lease: { now: number; until: number }): Promise<PendingVerification | null>
  /** Extends the lease of a claim. A lease that was lost stays lost. */
  renew(claimed: Pick<PendingVerification, "verificationId" | "attempts">, leaseUntil: number): Promise<void>
  /** Ends a running verification once. @returns whether this call ended it */
  finish(
    verificationId: string,
    end: { state: "complete" | "failed"; evidence: Evidence | null; now: number },
  ): Promise<boolean>
  /** Ids with an expired lease, oldest first: their request ended early. */
  abandoned(now: number, limit: number): Promise<string[]>
  /** Deletes rows created before a time. */
  deleteBefore(createdBefore: number): Promise<void>
}

const table = pendingVerifications
/** A new verification belongs to its request for this long, in ms. */
const START_MS = 10_000

export function createPendingStore(database: Database): PendingStore {
  return {
    async add(pending) {
      await database
        .insert(table)
        .values({ ...pending, leaseUntil: pending.createdAt + START_MS })
        .onConflictDoNothing()
    },

    async find(verificationId) {
      const [row] = await database.select().from(table).where(eq(table.verificationId, verificationId))
      return row ? toPending(row) : null
    },

    async claim(verificationId, { now, until }) {
      const isFree = or(eq(table.state, "queued"), and(eq(table.state, "running"), lte(table.leaseUntil, now)))
      const [row] = await database
        .update(table)
        .set({ state: "running", leaseUntil: until, attempts: sql`${table.attempts} + 1` })
        .where(and(eq(table.verificationId, verificationId), isFree))
        .returning()
      return row ? toPending(row) : null
    },

    async renew({ verificationId, attempts }, leaseUntil) {
      const isHeld = and(eq(table.state, "running"), eq(table.attempts, attempts))
      await database
        .update(table)
        .set({ leaseUntil })
        .where(and(eq(table.verificationId, verificationId), isHeld))
    },

    async finish(verificationId, { state, evidence, now }) {
      const rows = await database
        .update(table)
        .set({ state, evidence, completedAt: now })
        .where(and(eq(table.verificationId, verificationId), inArray(table.state, ["queued", "running"])))
        .returning({ id: table.verificationId })
      return rows.length > 0
    },

    async abandoned(now, limit) {
      const rows = await database
        .select({ id: table.verificationId })
        .from(table)
        .where(and(inArray(table.state, ["queued", "running"]), lte(table.leaseUntil, now)))
        .orderBy(asc(table.createdAt))
        .limit(limit)
      return rows.map(({ id }) => id)
    },

    async deleteBefore(createdBefore) {
      await deleteInBatches(database, { table: "pending_verifications", where: sql`created_at < ${createdBefore}` })
    },
  }
}

function toPending({ leaseUntil: _, evidence, ...row }: typeof table.$inferSelect): PendingVerification {
  return { ...row, evidence: evidence as Evidence | null }
}

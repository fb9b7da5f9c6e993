import { and, asc, eq, inArray, lte, or, sql } from "drizzle-orm"
import { pendingVerifications, rechecks } from "../../../../schema/tables/verification.ts"
import type { Evidence } from "../../../domain/verification/evidence.ts"
import type { Database } from "../database.ts"
import { deleteInBatches } from "../in-batches.ts"
import { jsonRows, valuesOf } from "../json-rows.ts"

export type PendingVerification = Omit<typeof pendingVerifications.$inferSelect, "leaseUntil" | "evidence"> & {
  readonly evidence: Evidence | null
}

export type NewPending = Omit<PendingVerification, "attempts" | "evidence">

export type PendingStore = ReturnType<typeof createPendingStore>

const table = pendingVerifications
/** A new verification belongs to its request for this long, in ms. */
const START_MS = 10_000

export function createPendingStore(database: Database) {
  return {
    /** An existing row with the same id stays unchanged. */
    async add(pending: NewPending) {
      await database
        .insert(table)
        .values({ ...pending, leaseUntil: pending.createdAt + START_MS })
        .onConflictDoNothing()
    },

    async find(verificationId: string): Promise<PendingVerification | null> {
      const [row] = await database.select().from(table).where(eq(table.verificationId, verificationId))
      return row ? toPending(row) : null
    },

    /** Leases a verification until `leaseUntil`, unless it is leased or final. */
    async claim(
      verificationId: string,
      { now, until }: { now: number; until: number },
    ): Promise<PendingVerification | null> {
      const isFree = or(eq(table.state, "queued"), and(eq(table.state, "running"), lte(table.leaseUntil, now)))
      const [row] = await database
        .update(table)
        .set({ state: "running", leaseUntil: until, attempts: sql`${table.attempts} + 1` })
        .where(and(eq(table.verificationId, verificationId), isFree))
        .returning()
      return row ? toPending(row) : null
    },

    /** Extends the lease of a claim. A lease that was lost stays lost. */
    async renew(
      { verificationId, attempts }: Pick<PendingVerification, "verificationId" | "attempts">,
      leaseUntil: number,
    ) {
      const isHeld = and(eq(table.state, "running"), eq(table.attempts, attempts))
      await database
        .update(table)
        .set({ leaseUntil })
        .where(and(eq(table.verificationId, verificationId), isHeld))
    },

    /** Ends a running verification once. @returns whether this call ended it */
    async finish(
      verificationId: string,
      { state, evidence, now }: { state: "complete" | "failed"; evidence: Evidence | null; now: number },
    ): Promise<boolean> {
      const rows = await database
        .update(table)
        .set({ state, evidence, completedAt: now })
        .where(and(eq(table.verificationId, verificationId), inArray(table.state, ["queued", "running"])))
        .returning({ id: table.verificationId })
      return rows.length > 0
    },

    /** Ids with an expired lease, oldest first: their request ended early. */
    async abandoned(now: number, limit: number): Promise<string[]> {
      const rows = await database
        .select({ id: table.verificationId })
        .from(table)
        .where(and(inArray(table.state, ["queued", "running"]), lte(table.leaseUntil, now)))
        .orderBy(asc(table.createdAt))
        .limit(limit)
      return rows.map(({ id }) => id)
    },

    /** Deletes rows created before a time. */
    async deleteBefore(createdBefore: number) {
      await deleteInBatches(database, { table: "pending_verifications", where: sql`created_at < ${createdBefore}` })
    },
  }
}

function toPending({ leaseUntil: _, evidence, ...row }: typeof table.$inferSelect): PendingVerification {
  return { ...row, evidence: evidence as Evidence | null }
}

export interface Recheck {
  readonly address: string
  readonly attempt: number
}

/** Due addresses considered, the oldest first. */
const MAX_CANDIDATES = 100_000
/** The row names no account. Addresses without a history share the one turn of all anonymous callers. */
const ACCOUNT_OF = sql`(SELECT v.account_id FROM verifications AS v
  WHERE v.domain = substr(r.address, instr(r.address, '@') + 1) AND v.address = r.address COLLATE NOCASE LIMIT 1)`

export function createRecheckStore(database: Database) {
  return {
    /** Schedules a new probe of an address; an existing schedule stays. */
    async schedule(address: string, dueAt: number) {
      await database.insert(rechecks).values({ address, attempt: 0, dueAt }).onConflictDoNothing()
    },

    /**
     * Leases up to `limit` due addresses, one per account in turn, so that a list of a hundred thousand delays no other
     * account. After a crash they are due again at `againAt`.
     */
    async lease({ now, againAt, limit }: { now: number; againAt: number; limit: number }): Promise<Recheck[]> {
      const oldest = sql`SELECT address, due_at FROM rechecks WHERE due_at <= ${now} ORDER BY due_at LIMIT ${MAX_CANDIDATES}`
      const due = sql`(SELECT address FROM (${oldest}) AS r
        ORDER BY row_number() OVER (PARTITION BY ${ACCOUNT_OF} ORDER BY due_at), due_at LIMIT ${limit})`
      return database
        .update(rechecks)
        .set({ dueAt: againAt })
        .where(sql`${rechecks.address} IN ${due}`)
        .returning({ address: rechecks.address, attempt: rechecks.attempt })
    },

    /** Extends the lease of addresses. After a crash they are due again at `againAt`. Postponed ones keep their time. */
    async renew(addresses: readonly string[], againAt: number) {
      await database.run(sql`UPDATE rechecks SET due_at = ${againAt}
        WHERE address IN ${valuesOf(addresses)} AND due_at < ${againAt}`)
    },

    async postpone(turns: readonly (Recheck & { readonly dueAt: number })[]) {
      const rows = jsonRows(turns, "address", "attempt", "dueAt")
      await database.run(sql`WITH t AS MATERIALIZED (
          SELECT value ->> 0 AS address, value ->> 1 AS attempt, value ->> 2 AS due_at FROM json_each(${rows}))
        UPDATE rechecks SET attempt = t.attempt, due_at = t.due_at FROM t WHERE rechecks.address = t.address`)
    },

    async remove(addresses: readonly string[]) {
      await database.run(sql`DELETE FROM rechecks WHERE address IN ${valuesOf(addresses)}`)
    },
  }
}

import { and, asc, desc, eq, gt, lt, sql } from "drizzle-orm"
import { auditTrail } from "../../../../schema/tables/audit.ts"
import type { AuditAction } from "../../../../schema/vocabulary.ts"
import {
  type AuditEntry,
  type AuditRow,
  CHAIN_START,
  type ChainLink,
  linkEntry,
} from "../../../domain/compliance/audit-chain.ts"
import type { Clock } from "../../platform.ts"
import type { Database } from "../database.ts"

interface AuditPage {
  readonly limit: number
  /** Only rows with a lower number. */
  readonly before?: number | undefined
  readonly action?: AuditAction | undefined
  readonly actor?: string | undefined
  readonly subject?: string | undefined
}

/** The append-only audit trail. */
export interface AuditStore {
  /** Appends an entry to the chain; concurrent appends are ordered. @throws Error after too many conflicts */
  append(entry: AuditEntry): Promise<AuditRow>
  /** Newest first. */
  page(page: AuditPage): Promise<AuditRow[]>
  /** Rows after a number, in order. */
  after(seq: number, limit: number): Promise<AuditRow[]>
  /** The last row, or the start of the chain in an empty trail. */
  head(): Promise<ChainLink>
  /** Number of entries by action since a time, Unix ms. */
  counts(since: number): Promise<{ action: AuditAction; count: number }[]>
}

const MAX_ATTEMPTS = 40
/** Wait after a conflict, in ms: about the time that the other write takes. */
const PAUSE_MS = 8

export function createAuditStore(database: Database, clock: Clock): AuditStore {
  const head = async (): Promise<ChainLink> => {
    const rows = await database
      .select({ seq: auditTrail.seq, hash: auditTrail.hash })
      .from(auditTrail)
      .orderBy(desc(auditTrail.seq))
      .limit(1)
    return rows[0] ?? CHAIN_START
  }
  return {
    head,

    async append(entry) {
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
        const row = await linkEntry(entry, await head())
        const added = await database
          .insert(auditTrail)
          .values(row)
          .onConflictDoNothing()
          .returning({ seq: auditTrail.seq })
        if (added.length > 0) return row
        await clock.sleep(PAUSE_MS * Math.random() * Math.min(attempt, 10))
      }
      throw new Error("the audit trail is too busy")
    },

    async page({ limit, before, action, actor, subject }) {
      const { seq } = auditTrail
      const wanted = and(
        before === undefined ? undefined : lt(seq, before),
        action && eq(auditTrail.action, action),
        actor === undefined ? undefined : eq(auditTrail.actor, actor),
        subject === undefined ? undefined : eq(auditTrail.subject, subject),
      )
      return database.select().from(auditTrail).where(wanted).orderBy(desc(seq)).limit(limit)
    },

    after: (seq, limit) =>
      database.select().from(auditTrail).where(gt(auditTrail.seq, seq)).orderBy(asc(auditTrail.seq)).limit(limit),

    counts: (since) =>
      database
        .select({ action: auditTrail.action, count: sql<number>`count(*)` })
        .from(auditTrail)
        .where(sql`${auditTrail.at} >= ${since}`)
        .groupBy(auditTrail.action)
        .orderBy(auditTrail.action),
  }
}

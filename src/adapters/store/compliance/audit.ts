import { and, asc, desc, eq, gt, lt, sql } from "drizzle-orm"
import { auditTrail } from "../../../../schema/tables/compliance.ts"
import type { AuditAction } from "../../../../schema/vocabulary.ts"
import { withDeadline } from "../../../concurrency/deadlines.ts"
import {
  type AuditEntry,
  type AuditRow,
  CHAIN_START,
  type ChainLink,
  linkEntry,
} from "../../../domain/compliance/audit-chain.ts"
import type { Clock } from "../../platform.ts"
import type { Database } from "../database.ts"

interface Page {
  readonly limit: number
  /** Only rows with a lower number. */
  readonly before?: number | undefined
  readonly action?: AuditAction | undefined
}

interface AuditPage extends Page {
  readonly actor?: string | undefined
  readonly subject?: string | undefined
  /** False leaves out what the operator only read. */
  readonly reads?: boolean | undefined
}

const MAX_ATTEMPTS = 40
/** Wait after a conflict, in ms: about the time that the other write takes. */
const PAUSE_MS = 8

/** The entries of this isolate that wait for a position. */
const QUEUE = newAuditQueue()

/** The append-only audit trail. */
export function createAuditStore(database: Database, clock: Clock, queue: AuditQueue = QUEUE) {
  const head = async (): Promise<ChainLink> => {
    const rows = await database
      .select({ seq: auditTrail.seq, hash: auditTrail.hash })
      .from(auditTrail)
      .orderBy(desc(auditTrail.seq))
      .limit(1)
    return rows[0] ?? CHAIN_START
  }

  /** Appends all entries or, when another isolate was first, none, and then tries again. */
  async function write(entries: readonly AuditEntry[]): Promise<AuditRow[]> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const end = await head()
      const rows: AuditRow[] = []
      for (const entry of entries) rows.push(await linkEntry(entry, rows.at(-1) ?? end))
      const stored = rows.map((row) => ({ ...row, details: JSON.stringify(row.details) }))
      const { rowsAffected } = await database.run(sql`INSERT INTO audit_trail
        (seq, at, actor, action, subject, details, prev_hash, hash)
        SELECT value ->> 'seq', value ->> 'at', value ->> 'actor', value ->> 'action', value ->> 'subject',
          value ->> 'details', value ->> 'prevHash', value ->> 'hash' FROM json_each(${JSON.stringify(stored)})
        WHERE (SELECT coalesce(max(seq), 0) FROM audit_trail) = ${end.seq}`)
      if (rowsAffected > 0) return rows
      await clock.sleep(PAUSE_MS * Math.random() * Math.min(attempt, 10))
    }
    throw new Error("the audit trail is too busy")
  }

  return {
    /** The last row, or the start of the chain in an empty trail. */
    head,

    /** Appends an entry to the chain, in a group with concurrent ones. @throws Error when the trail stays too busy */
    append: (entry: AuditEntry): Promise<AuditRow> => appendInGroup({ queue, clock }, entry, write),

    /** Newest first. */
    async page({ limit, before, action, actor, subject, reads = true }: AuditPage): Promise<AuditRow[]> {
      const { seq } = auditTrail
      const wanted = and(
        before === undefined ? undefined : lt(seq, before),
        action && eq(auditTrail.action, action),
        actor === undefined ? undefined : eq(auditTrail.actor, actor),
        subject === undefined ? undefined : eq(auditTrail.subject, subject),
        reads
          ? undefined
          : sql`NOT (${auditTrail.action} = 'admin.call' AND ${auditTrail.details} ->> 'call' LIKE 'GET %')`,
      )
      return database.select().from(auditTrail).where(wanted).orderBy(desc(seq)).limit(limit)
    },

    /** What an account did, and what others did to it and its keys, newest first, without plain reads of the operator. */
    async pageOfAccount(
      accountId: string,
      { limit, before = Number.MAX_SAFE_INTEGER, action }: Page,
    ): Promise<AuditRow[]> {
      const own = sql`SELECT key_id FROM api_keys WHERE account_id = ${accountId} UNION ALL SELECT ${accountId}`
      const wanted = sql`seq < ${before} ${action === undefined ? sql`` : sql`AND action = ${action}`}`
      // Each half reads its index and at most a page of rows.
      const page = sql`ORDER BY seq DESC LIMIT ${limit}`
      return database
        .select()
        .from(auditTrail)
        .where(sql`${auditTrail.seq} IN (
          SELECT seq FROM (SELECT seq FROM audit_trail WHERE actor = ${accountId} AND ${wanted} ${page})
          UNION SELECT seq FROM (SELECT seq FROM audit_trail WHERE subject IN (${own}) AND action <> 'admin.call'
            AND ${wanted} ${page}))`)
        .orderBy(desc(auditTrail.seq))
        .limit(limit)
    },

    /** Rows after a number, in order. */
    after: (seq: number, limit: number): Promise<AuditRow[]> =>
      database.select().from(auditTrail).where(gt(auditTrail.seq, seq)).orderBy(asc(auditTrail.seq)).limit(limit),

    /** Number of entries by action since a time, Unix ms. */
    counts: (since: number): Promise<{ action: AuditAction; count: number }[]> =>
      database
        .select({ action: auditTrail.action, count: sql<number>`count(*)` })
        .from(auditTrail)
        .where(sql`${auditTrail.at} >= ${since}`)
        .groupBy(auditTrail.action)
        .orderBy(auditTrail.action),
  }
}

/** An entry without a position yet, and its request. */
interface Pending {
  readonly entry: AuditEntry
  /** Set by the request that writes the entry. */
  outcome: AuditRow | Error | null
  /** Lets the entry's request continue. */
  wake: () => void
}

/** The entries of all requests of an isolate that wait for a position. Plain values, which may cross requests. */
interface AuditQueue {
  readonly waiting: Pending[]
  /** Until when a request is writing, Unix ms. The platform may end that request at any moment. */
  writerUntil: number
}

export function newAuditQueue(): AuditQueue {
  return { waiting: [], writerUntil: Number.NEGATIVE_INFINITY }
}

/** Appends entries to the end of the chain, in one statement. */
export type WriteGroup = (entries: readonly AuditEntry[]) => Promise<readonly AuditRow[]>

/** Entries in one statement. Each is hashed after the one before it. */
const GROUP = 200
/** A group that takes longer has lost its request. */
const WRITE_MS = 15_000
/** How often a waiting request checks that another one is writing, in ms. */
const CHECK_MS = 1_000
const GIVE_UP_MS = 20_000

/**
 * Appends an entry together with those of other requests: a chain grows at one end, so each call with its own statement
 * would conflict with all others. One request writes for all that wait, and then the next one does.
 * @returns the row, after it is stored @throws the writer's error, or Error when no write ended in time
 */
export async function appendInGroup(
  { queue, clock }: { queue: AuditQueue; clock: Clock },
  entry: AuditEntry,
  write: WriteGroup,
): Promise<AuditRow> {
  const pending: Pending = { entry, outcome: null, wake: () => undefined }
  const giveUpAt = clock.now() + GIVE_UP_MS
  queue.waiting.push(pending)
  for (;;) {
    const { outcome } = pending
    if (outcome instanceof Error) throw outcome
    if (outcome) return outcome
    const now = clock.now()
    const isWaiting = queue.waiting.includes(pending)
    if (now >= giveUpAt) {
      if (isWaiting) queue.waiting.splice(queue.waiting.indexOf(pending), 1)
      throw new Error("the audit trail is too busy")
    }
    if (isWaiting && queue.writerUntil <= now) await writeWaiting({ queue, clock }, pending, write)
    else {
      const { promise: woken, resolve } = Promise.withResolvers<true>()
      pending.wake = () => resolve(true)
      // With a timer of its own: a request that only waits for another one would count as hung.
      await withDeadline(clock, woken, now + CHECK_MS)
    }
  }
}

/** Writes the entry of this request and others that wait, and lets their requests and the next writer continue. */
async function writeWaiting(
  { queue, clock }: { queue: AuditQueue; clock: Clock },
  own: Pending,
  write: WriteGroup,
): Promise<void> {
  const until = clock.now() + WRITE_MS
  queue.writerUntil = until
  queue.waiting.splice(queue.waiting.indexOf(own), 1)
  const group = [own, ...queue.waiting.splice(0, GROUP - 1)]
  try {
    const rows = await write(group.map(({ entry }) => entry))
    for (const [at, pending] of group.entries()) pending.outcome = rows[at]!
  } catch (error) {
    for (const pending of group) pending.outcome = error as Error
  }
  if (queue.writerUntil === until) queue.writerUntil = Number.NEGATIVE_INFINITY
  for (const { wake } of group) wake()
  queue.waiting[0]?.wake()
}

import { and, asc, count, desc, eq, gt, gte, inArray, isNotNull, isNull, lt, ne, type SQL, sql } from "drizzle-orm"
import { jobItems, jobs } from "../../../../schema/tables/lists.ts"
import type { Status } from "../../../../schema/vocabulary.ts"
import type { Evidence } from "../../../domain/verification/evidence.ts"
import { storedDecision } from "../../../domain/verification/send-decision.ts"
import { addCounts, addKeyCounts, type DayCount, NO_ACCOUNT } from "../accounts/history.ts"
import type { Database } from "../database.ts"

export type Job = typeof jobs.$inferSelect

/** A finished item. */
export interface DoneItem {
  readonly idx: number
  readonly email: string
  readonly status: Status
  readonly score: number
  readonly evidence: Evidence
  readonly cached: boolean
  /** Unix milliseconds. */
  readonly verifiedAt: number
  readonly attempts: number
  readonly error: string | null
}

/** A page of items after an index. Pages are found by key, so the last costs as much as the first. */
interface ItemPage {
  readonly afterIdx: number
  readonly limit: number
  /** Only items that failed all retries. */
  readonly onlyFailed?: boolean
}

/** What lies ahead of a running job. Times are Unix ms. */
export interface Schedule {
  /** When the next and the last planned retry is due; null without one. */
  readonly nextRetryAt: number | null
  readonly lastRetryAt: number | null
  /** The fewest passes that a chunk with a planned retry has completed; null without one. */
  readonly passes: number | null
  /** Chunks are running, or could run now. */
  readonly isBusy: boolean
}

/** A page of a list of jobs, newest first. */
interface JobListPage {
  readonly limit: number
  /** The last job of the previous page; null for the first page. Several may share a millisecond. */
  readonly before: { readonly createdAt: number; readonly jobId: string } | null
}

const SWEEP_LIMIT = 50
/** The score of items that an older version finished, for their send decision; 0 of others, which group by fewer values. */
export const UNDECIDED_SCORE = sql`CASE WHEN can_send IS NULL THEN coalesce(score, 0) ELSE 0 END`

export function createJobStore(database: Database) {
  const visible = and(ne(jobs.status, "receiving"), ne(jobs.kind, "turbo"))
  const newestFirst = (which: SQL | undefined, { limit, before }: JobListPage) =>
    database
      .select()
      .from(jobs)
      .where(
        and(
          which,
          before ? sql`(${jobs.createdAt}, ${jobs.jobId}) < (${before.createdAt}, ${before.jobId})` : undefined,
        ),
      )
      .orderBy(desc(jobs.createdAt), desc(jobs.jobId))
      .limit(limit)
  return {
    /** A job of that account; null for an unknown one and for another account's. */
    async find(jobId: string, accountId: string): Promise<Job | null> {
      const own = and(eq(jobs.jobId, jobId), eq(jobs.accountId, accountId), visible)
      return (await database.select().from(jobs).where(own))[0] ?? null
    },

    async byId(jobId: string): Promise<Job | null> {
      return (await database.select().from(jobs).where(eq(jobs.jobId, jobId)))[0] ?? null
    },

    /** Newest first. @param name only jobs whose file name contains it, in any letter case (ASCII) */
    async list(
      accountId: string,
      { name, ...page }: JobListPage & { readonly name?: string | undefined },
    ): Promise<Job[]> {
      const named = name === undefined ? undefined : sql`instr(lower(${jobs.fileName}), lower(${name})) > 0`
      return newestFirst(and(eq(jobs.accountId, accountId), named, visible), page)
    },

    /** Jobs of all accounts and of the operator, newest first. */
    async listAll({
      accountId,
      onlyOpen,
      ...page
    }: JobListPage & { readonly accountId?: string | undefined; readonly onlyOpen: boolean }): Promise<Job[]> {
      const whose = accountId === undefined ? undefined : eq(jobs.accountId, accountId)
      const open = onlyOpen ? inArray(jobs.status, ["queued", "running"]) : undefined
      return newestFirst(and(whose, open, visible), page)
    },

    async items(jobId: string, { afterIdx, limit, onlyFailed = false }: ItemPage): Promise<DoneItem[]> {
      const failed = onlyFailed ? isNotNull(jobItems.error) : undefined
      const rows = await database
        .select()
        .from(jobItems)
        .where(and(eq(jobItems.jobId, jobId), gt(jobItems.idx, afterIdx), isNotNull(jobItems.status), failed))
        .orderBy(asc(jobItems.idx))
        .limit(limit)
      return rows.map(({ idx, email, status, score, evidence, cached, verifiedAt, attempts, error }) => ({
        idx,
        email,
        cached,
        attempts,
        error,
        status: status!,
        score: score ?? 0,
        evidence: evidence as Evidence,
        verifiedAt: verifiedAt ?? 0,
      }))
    },

    /** What lies ahead of running jobs, in one statement that reads a few rows of each. @param now Unix ms */
    async schedules(jobIds: readonly string[], now: number): Promise<Map<string, Schedule>> {
      if (jobIds.length === 0) return new Map()
      const chunks = (condition: ReturnType<typeof sql>) =>
        sql`FROM job_chunks AS c WHERE c.job_id = j.value AND ${condition}`
      const planned = chunks(sql`c.state = 'waiting' AND c.due_at > ${now}`)
      const rows = await database.all<Schedule & { jobId: string }>(sql`
        SELECT j.value AS "jobId", (SELECT min(c.due_at) ${planned}) AS "nextRetryAt",
          (SELECT max(c.due_at) ${planned}) AS "lastRetryAt", (SELECT min(c.passes) ${planned}) AS passes,
          EXISTS (SELECT 1 ${chunks(sql`c.state IN ('leased', 'running')`)})
            OR EXISTS (SELECT 1 ${chunks(sql`c.state = 'waiting' AND c.due_at <= ${now}`)}) AS "isBusy"
        FROM json_each(${JSON.stringify(jobIds)}) AS j`)
      return new Map(rows.map(({ jobId, ...row }) => [jobId, { ...row, isBusy: Boolean(row.isBusy) }]))
    },

    /** Ends a job that is not over. @returns false when it was over */
    async cancel(jobId: string, { now, eventId }: { now: number; eventId: string }): Promise<boolean> {
      const cancelled = await database
        .update(jobs)
        .set({ status: "cancelled", completedAt: now, completedEventId: eventId })
        .where(and(eq(jobs.jobId, jobId), inArray(jobs.status, ["queued", "running"])))
        .returning({ jobId: jobs.jobId })
      return cancelled.length === 1
    },

    /** Jobs that ended without being settled. @param endedBefore Unix ms */
    async unsettled(endedBefore: number): Promise<Job[]> {
      const over = and(lt(jobs.completedAt, endedBefore), isNotNull(jobs.completedAt), isNull(jobs.settledAt))
      return database.select().from(jobs).where(over).limit(SWEEP_LIMIT)
    },

    /** Running jobs that only retries are left of, and that were not reported yet. */
    async unreportedPartial(): Promise<Job[]> {
      const left = and(eq(jobs.status, "running"), isNotNull(jobs.firstPassAt))
      return database
        .select()
        .from(jobs)
        .where(and(left, isNull(jobs.partialNotifiedAt)))
        .limit(SWEEP_LIMIT)
    },

    /** Records that the events about the retries left are enqueued. @param now Unix ms */
    async setPartialNotified(jobId: string, now: number) {
      await database.update(jobs).set({ partialNotifiedAt: now }).where(eq(jobs.jobId, jobId))
    },

    /** Settles a job's end and adds to its account's counts, both once and in one transaction. Equal kinds add up. */
    async settle(jobId: string, { now, counts }: { now: number; counts: readonly DayCount[] }) {
      const unsettled = and(eq(jobs.jobId, jobId), isNull(jobs.settledAt))
      await database.batch([
        database.run(
          addCounts(sql`SELECT coalesce(account_id, ${NO_ACCOUNT}), value ->> 'day', value ->> 'status',
            value ->> 'cached', value ->> 'count', value ->> 'scores', value ->> 'sendable'
          FROM jobs, json_each(${JSON.stringify(counts)}) WHERE ${unsettled}`),
        ),
        database.run(
          addKeyCounts(sql`SELECT key_id, value ->> 'day', sum(value ->> 'count')
          FROM jobs JOIN ledger ON charge_id = job_id AND key_id IS NOT NULL, json_each(${JSON.stringify(counts)})
          WHERE ${unsettled} GROUP BY 1, 2`),
        ),
        database.update(jobs).set({ settledAt: now }).where(unsettled),
      ])
    },

    /**
     * Number of done items with idx in [from, from + count), by status and cache use. Suppressions can change after the
     * list, so `sendable` counts without them.
     */
    async countByStatus(jobId: string, range: { from: number; count: number }): Promise<Omit<DayCount, "day">[]> {
      const { status, cached, idx, canSend } = jobItems
      const score = sql<number>`${UNDECIDED_SCORE}`
      const inRange = and(gte(idx, range.from), lt(idx, range.from + range.count))
      const rows = await database
        .select({ status, cached, canSend, score, count: count(), scores: sql<number>`sum(${jobItems.score})` })
        .from(jobItems)
        .where(and(eq(jobItems.jobId, jobId), inRange, isNotNull(status)))
        .groupBy(status, cached, canSend, score)
      const counts = new Map<string, Omit<DayCount, "day">>()
      for (const { canSend, score, ...row } of rows) {
        const [kind, status] = [`${row.status} ${row.cached}`, row.status!]
        const sum = counts.get(kind) ?? { count: 0, scores: 0, sendable: 0 }
        counts.set(kind, {
          status,
          cached: row.cached,
          count: sum.count + row.count,
          scores: sum.scores + row.scores,
          sendable: sum.sendable + (storedDecision({ canSend, score, status }) ? row.count : 0),
        })
      }
      return [...counts.values()]
    },

    /** Unfinished leftover addresses of an account's turbo calls, or of all anonymous callers. */
    async countLeftovers(accountId: string | null): Promise<number> {
      const ofOwner = accountId === null ? sql`account_id IS NULL` : sql`account_id = ${accountId}`
      const [row] = await database.all<{ n: number }>(sql`SELECT coalesce(sum(total - done), 0) AS n FROM jobs
        WHERE status IN ('queued', 'running') AND kind = 'turbo' AND ${ofOwner}`)
      return row?.n ?? 0
    },

    /** Abandons jobs that no longer receive rows: they accept no items and cannot start. @param openedBefore Unix ms */
    async abandonReceiving(openedBefore: number, now: number): Promise<string[]> {
      const stale = sql`SELECT job_id FROM jobs WHERE status = 'receiving' AND created_at < ${openedBefore} LIMIT ${SWEEP_LIMIT}`
      const given = database.update(jobs).set({ settledAt: now }).where(sql`job_id IN (${stale})`)
      return (await given.returning({ jobId: jobs.jobId })).map(({ jobId }) => jobId)
    },
  }
}

import { sql } from "drizzle-orm"
import type { jobChunks, jobs } from "../../../../schema/tables/lists.ts"
import { TIERS } from "../../../../schema/vocabulary.ts"
import type { ChunkMessage } from "../../../../schema/wire/queue.ts"
import { PRIORITY } from "../../../domain/accounts/tiers.ts"
import { endsAtOf, type WaitingJob } from "../../../domain/lists/job.ts"
import type { Evidence } from "../../../domain/verification/evidence.ts"
import { TIER_RANK } from "../accounts/ledger-sql.ts"
import type { Database } from "../database.ts"
import { jsonRows, valuesOf } from "../json-rows.ts"
import { ownerOf } from "../owner-account.ts"
import { type FinishedItems, finishItems } from "./finish-items.ts"

/** An unfinished item. */
export interface OpenItem {
  readonly idx: number
  readonly email: string
  /** Evidence of an earlier pass. */
  readonly evidence: Evidence | null
  readonly attempts: number
}

export interface ClaimedChunk {
  /** The job's account; null for an anonymous job. */
  readonly accountId: string | null
  readonly smtp: boolean
  /** When the job ends at the latest, Unix ms; null without a limit. */
  readonly endsAt: number | null
  /** Leases so far that count towards the most, this one included. */
  readonly leases: number
  /** Passes that ended before this one. */
  readonly passes: number
  readonly items: readonly OpenItem[]
}

export interface Pass extends FinishedItems {
  readonly message: ChunkMessage
  /** When the open items are due, Unix ms; null without open items. */
  readonly nextAt: number | null
  /** Whether the pass counts among the limited passes of the chunk. */
  readonly isCounted: boolean
  readonly now: number
  /** The id of the job's completion event, if this is the last pass. */
  readonly eventId: string
}

export interface PassResult {
  /** The pass ended the job. */
  readonly isEnd: boolean
  /** The results were stored: the job had not ended before, for example by cancellation. */
  readonly isStored: boolean
  /** From now on only retries are left. Reported once for a job. */
  readonly isFirstPassOver: boolean
}

/** Chunks of work. Leases make lost, late and repeated messages harmless. */
export type JobChunks = ReturnType<typeof createJobChunks>

type ClaimedRow = Pick<typeof jobs.$inferSelect, "accountId" | "createdAt" | "finishWithin"> &
  Pick<typeof jobChunks.$inferSelect, "passes" | "afterDomain" | "afterIdx" | "lastDomain" | "lastIdx"> & {
    readonly leases: number
    readonly smtp: number
  }

/** The chunks of a suspended account wait. A job without an account is never suspended. */
const NOT_SUSPENDED = sql`NOT EXISTS (SELECT 1 FROM accounts AS a
  WHERE a.account_id = ${ownerOf(sql`jobs.account_id`)} AND a.suspended_at IS NOT NULL)`

/** The highest tier of a job's account: of its plan and of its active keys. Null for a job without an account. */
const RANK = sql`(SELECT max(${TIER_RANK}, coalesce((SELECT max(${TIER_RANK}) FROM api_keys AS k
  WHERE k.account_id = accounts.account_id AND k.is_active), 0)) FROM accounts
  WHERE accounts.account_id = ${ownerOf(sql`jobs.account_id`)})`

/** Ready chunks are counted up to this number per job; more make no difference. */
const READY_CAP = 256

export function createJobChunks(database: Database) {
  return {
    /**
     * Releases expired leases, so that interrupted chunks run again. Then returns the jobs with chunks in flight and up to
     * `2 * room` others, except those of suspended accounts. Each queue key contributes its jobs in turn, the key with the fewest chunks in flight first.
     */
    async waiting(now: number, free: number): Promise<WaitingJob[]> {
      const [, rows] = await database.batch([
        database.run(
          sql`UPDATE job_chunks SET state = 'waiting' WHERE state IN ('leased', 'running') AND due_at <= ${now}`,
        ),
        database.all<Omit<WaitingJob, "weight"> & { rank: number }>(sql`
          WITH open AS MATERIALIZED (SELECT job_id, lane, created_at, coalesce(${RANK}, 0) AS rank,
            (SELECT count(*) FROM job_chunks AS c WHERE c.job_id = jobs.job_id AND c.state IN ('leased', 'running')) AS in_flight,
            (SELECT count(*) FROM (SELECT 1 FROM job_chunks AS c
              WHERE c.job_id = jobs.job_id AND c.state = 'waiting' AND c.due_at <= ${now} LIMIT ${READY_CAP})) AS ready
            FROM jobs WHERE status IN ('queued', 'running') AND ${NOT_SUSPENDED})
          SELECT job_id AS "jobId", lane AS "queueKey", rank, in_flight AS "inFlight", ready FROM (SELECT * FROM open WHERE in_flight + ready > 0
            ORDER BY in_flight = 0, row_number() OVER (PARTITION BY lane ORDER BY in_flight, created_at),
              sum(in_flight) OVER (PARTITION BY lane), created_at LIMIT ${2 * free})
          ORDER BY created_at`),
      ])
      return rows.map(({ rank, ...job }) => ({ ...job, weight: PRIORITY[TIERS[rank]!] }))
    },

    /** Leases the next chunks of each job. @param shares chunks by job */
    async lease(
      shares: ReadonlyMap<string, number>,
      { now, leaseUntil }: { now: number; leaseUntil: number },
    ): Promise<ChunkMessage[]> {
      const leases = [...shares].map(([jobId, count]) =>
        database.all<ChunkMessage>(sql`UPDATE job_chunks
          SET state = 'leased', epoch = epoch + 1, due_at = ${leaseUntil}
          WHERE job_id = ${jobId} AND chunk IN (SELECT chunk FROM job_chunks
            WHERE job_id = ${jobId} AND state = 'waiting' AND due_at <= ${now} ORDER BY due_at LIMIT ${count})
          RETURNING job_id AS "jobId", chunk, epoch AS "leaseEpoch"`),
      )
      const started = database.run(sql`UPDATE jobs SET status = 'running', started_at = coalesce(started_at, ${now})
        WHERE status = 'queued' AND job_id IN ${valuesOf([...shares.keys()])}`)
      const [, ...leased] = await database.batch([started, ...leases])
      return leased.flat()
    },

    /** Releases leases whose messages could not be sent. */
    async release(messages: readonly ChunkMessage[], now: number) {
      await database.run(sql`WITH m AS MATERIALIZED (${toRows(messages)})
        UPDATE job_chunks SET state = 'waiting', due_at = ${now}, uncounted = uncounted + 1
        FROM m WHERE ${IS_SAME_LEASE} AND state = 'leased'`)
    },

    /** Takes an account's chunks back from the queue. Their messages find no work. */
    async recall(accountId: string, now: number) {
      await database.run(sql`UPDATE job_chunks SET state = 'waiting', due_at = ${now} WHERE state = 'leased'
        AND job_id IN (SELECT job_id FROM jobs WHERE account_id = ${accountId} AND status = 'running')`)
    },

    /** Extends the leases of claimed chunks in one statement. Leases that were lost stay lost. */
    async renew(messages: readonly ChunkMessage[], leaseUntil: number) {
      await database.run(sql`WITH m AS MATERIALIZED (${toRows(messages)})
        UPDATE job_chunks SET due_at = ${leaseUntil} FROM m WHERE ${IS_SAME_LEASE} AND state = 'running'`)
    },

    /** The open items of a chunk for the first claim under the current lease; null for any other claim. */
    async claim({ jobId, chunk, leaseEpoch }: ChunkMessage, leaseUntil: number): Promise<ClaimedChunk | null> {
      const [row] = await database.all<ClaimedRow>(sql`UPDATE job_chunks SET state = 'running', due_at = ${leaseUntil}
        WHERE job_id = ${jobId} AND chunk = ${chunk} AND epoch = ${leaseEpoch} AND state = 'leased'
          AND EXISTS (SELECT 1 FROM jobs WHERE job_id = ${jobId} AND status = 'running' AND ${NOT_SUSPENDED})
        RETURNING epoch - uncounted AS leases, passes, after_domain AS "afterDomain", after_idx AS "afterIdx",
          last_domain AS "lastDomain", last_idx AS "lastIdx",
          (SELECT smtp FROM jobs WHERE job_id = ${jobId}) AS smtp,
          (SELECT account_id FROM jobs WHERE job_id = ${jobId}) AS "accountId",
          (SELECT created_at FROM jobs WHERE job_id = ${jobId}) AS "createdAt",
          (SELECT finish_within FROM jobs WHERE job_id = ${jobId}) AS "finishWithin"`)
      if (!row) return null
      const rows = await database.all<OpenRow>(sql`SELECT idx, email, evidence, attempts FROM job_items
        WHERE job_id = ${jobId} AND (domain, idx) > (${row.afterDomain}, ${row.afterIdx})
          AND (domain, idx) <= (${row.lastDomain}, ${row.lastIdx}) AND status IS NULL
        ORDER BY domain, idx`)
      const { accountId, leases, passes } = row
      return { accountId, smtp: row.smtp === 1, endsAt: endsAtOf(row), leases, passes, items: rows.map(toOpenItem) }
    },

    /** Releases a claimed chunk after a failure for a retry at `dueAt`. @param isCounted whether its lease counts towards the most */
    async releaseForRetry({ jobId, chunk, leaseEpoch }: ChunkMessage, dueAt: number, isCounted: boolean) {
      await database.run(sql`UPDATE job_chunks SET state = 'waiting', due_at = ${dueAt}, uncounted = uncounted + ${Number(!isCounted)}
        WHERE job_id = ${jobId} AND chunk = ${chunk} AND epoch = ${leaseEpoch} AND state = 'running'`)
    },

    /** Writes a pass in one transaction: results stored before their charge would be free in a retry. */
    async write({
      message: { jobId, chunk, leaseEpoch },
      items,
      results,
      nextAt,
      isCounted,
      now,
      eventId,
    }: Pass): Promise<PassResult> {
      const [stored, ...others] = await database.batch([
        ...finishItems(database, jobId, { items, results }),
        database.run(sql`UPDATE job_chunks SET passes = passes + ${Number(isCounted)}, state = ${nextAt === null ? "done" : "waiting"},
            due_at = ${nextAt ?? now}
          WHERE job_id = ${jobId} AND chunk = ${chunk} AND epoch = ${leaseEpoch} AND state = 'running'`),
        database.all(sql`UPDATE jobs SET first_pass_at = ${now}
          WHERE job_id = ${jobId} AND first_pass_at IS NULL AND done < total AND status = 'running' AND NOT EXISTS (
            SELECT 1 FROM job_chunks AS c WHERE c.job_id = ${jobId} AND c.state IN ('leased', 'running', 'waiting')
              AND c.passes = 0) RETURNING job_id`),
        database.all(sql`UPDATE jobs SET status = CASE WHEN abandoned = total THEN 'failed' ELSE 'complete' END,
            completed_at = ${now}, completed_event_id = ${eventId}
          WHERE job_id = ${jobId} AND done = total AND status = 'running' RETURNING job_id`),
      ])
      const [firstPass, ended] = others.slice(-2) as unknown[][]
      return {
        isEnd: ended?.length === 1,
        isStored: stored.rowsAffected > 0,
        isFirstPassOver: firstPass?.length === 1,
      }
    },

    /** Writes items that are finished before their chunk, in one transaction. @returns whether they were stored */
    async writeFinished(jobId: string, finished: FinishedItems): Promise<boolean> {
      const [stored] = await database.batch(finishItems(database, jobId, finished))
      return stored.rowsAffected > 0
    },
  }
}

/** A row of `idx, email, evidence, attempts` of an unfinished item. */
export type OpenRow = Omit<OpenItem, "evidence"> & { readonly evidence: string | null }

export function toOpenItem({ evidence, ...item }: OpenRow): OpenItem {
  return { ...item, evidence: evidence === null ? null : (JSON.parse(evidence) as Evidence) }
}

/** The chunks and lease epochs of messages, as rows. */
function toRows(messages: readonly ChunkMessage[]) {
  const rows = jsonRows(messages, "jobId", "chunk", "leaseEpoch")
  return sql`SELECT value ->> 0 AS job_id, value ->> 1 AS chunk, value ->> 2 AS epoch FROM json_each(${rows})`
}

const IS_SAME_LEASE = sql`job_chunks.job_id = m.job_id AND job_chunks.chunk = m.chunk AND job_chunks.epoch = m.epoch`

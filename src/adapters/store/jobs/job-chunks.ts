import { sql } from "drizzle-orm"
import type { Status } from "../../../../schema/vocabulary.ts"
import type { ChunkMessage } from "../../../../schema/wire/queue.ts"
import type { WaitingJob } from "../../../domain/bulk/fair-queue.ts"
import { ERASED_EVIDENCE } from "../../../domain/compliance/data-subject.ts"
import type { Evidence } from "../../../domain/verdict/evidence.ts"
import type { Database } from "../database.ts"
import { insertResults, insertVerified, resultRow } from "../results/result-lists.ts"
import type { ResultToStore } from "../results/results.ts"

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
  /** Passes that ended before this one. */
  readonly passes: number
  readonly items: readonly OpenItem[]
}

/** The result of a pass for one item. */
export interface PassedItem {
  readonly idx: number
  /** Null: the item stays open for another pass. */
  readonly status: Status | null
  readonly score: number
  readonly evidence: Evidence
  readonly cached: boolean
  readonly verifiedAt: number
  readonly attempts: number
  readonly error: string | null
  /** No pass of the item ever completed. */
  readonly isAbandoned: boolean
  readonly credits: number
}

export interface Pass {
  readonly message: ChunkMessage
  readonly items: readonly PassedItem[]
  /** Results to store for all accounts. */
  readonly results: readonly ResultToStore[]
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
}

/** Chunks of work. Leases make lost, late and repeated messages harmless. */
export interface JobChunks {
  /**
   * Releases expired leases, so that interrupted chunks run again. Then returns the jobs with chunks in flight and up to
   * `2 * room` others, except those of suspended accounts. Each queue key contributes its jobs in turn, the key with the fewest chunks in flight first.
   */
  waiting(now: number, room: number): Promise<WaitingJob[]>
  /** Leases the next chunks of each job. @param shares chunks by job */
  lease(shares: ReadonlyMap<string, number>, times: { now: number; leaseUntil: number }): Promise<ChunkMessage[]>
  /** Releases leases whose messages could not be sent. */
  release(messages: readonly ChunkMessage[], now: number): Promise<void>
  /** Takes an account's chunks back from the queue. Their messages find no work. */
  recall(accountId: string, now: number): Promise<void>
  /** The open items of a chunk for the first claim under the current lease; null for any other claim. */
  claim(message: ChunkMessage, leaseUntil: number): Promise<ClaimedChunk | null>
  /** Extends the leases of claimed chunks in one statement. Leases that were lost stay lost. */
  renew(messages: readonly ChunkMessage[], leaseUntil: number): Promise<void>
  /** Releases a claimed chunk after a failure for a retry at `dueAt`. */
  releaseForRetry(message: ChunkMessage, dueAt: number): Promise<void>
  /**
   * Writes a pass in one transaction: results, counters, items, chunk, and the end of the job. Results stored before
   * their charge would be free in a retry.
   */
  write(pass: Pass): Promise<PassResult>
}

interface ClaimedRow {
  readonly account_id: string | null
  readonly passes: number
  readonly after_domain: string
  readonly after_idx: number
  readonly last_domain: string
  readonly last_idx: number
  readonly smtp: number
}

/** The chunks of a suspended account wait. A job without an account is never suspended. */
const NOT_SUSPENDED = sql`NOT EXISTS (SELECT 1 FROM accounts AS a
  WHERE a.account_id = jobs.account_id AND a.suspended_at IS NOT NULL)`

/** Ready chunks are counted up to this number per job; more make no difference. */
const READY_CAP = 256

export function createJobChunks(database: Database): JobChunks {
  return {
    async waiting(now, room) {
      const [, rows] = await database.batch([
        database.run(
          sql`UPDATE job_chunks SET state = 'waiting' WHERE state IN ('leased', 'running') AND due_at <= ${now}`,
        ),
        database.all<{ job_id: string; lane: string; in_flight: number; ready: number }>(sql`
          WITH open AS MATERIALIZED (SELECT job_id, lane, created_at,
            (SELECT count(*) FROM job_chunks AS c WHERE c.job_id = jobs.job_id AND c.state IN ('leased', 'running')) AS in_flight,
            (SELECT count(*) FROM (SELECT 1 FROM job_chunks AS c
              WHERE c.job_id = jobs.job_id AND c.state = 'waiting' AND c.due_at <= ${now} LIMIT ${READY_CAP})) AS ready
            FROM jobs WHERE status IN ('queued', 'running') AND ${NOT_SUSPENDED})
          SELECT job_id, lane, in_flight, ready FROM (SELECT * FROM open WHERE in_flight + ready > 0
            ORDER BY in_flight = 0, row_number() OVER (PARTITION BY lane ORDER BY in_flight, created_at),
              sum(in_flight) OVER (PARTITION BY lane), created_at LIMIT ${2 * room})
          ORDER BY created_at`),
      ])
      return rows.map(({ job_id, lane, in_flight, ready }) => ({
        jobId: job_id,
        queueKey: lane,
        inFlight: in_flight,
        ready,
      }))
    },

    async lease(shares, { now, leaseUntil }) {
      const leases = [...shares].map(([jobId, count]) =>
        database.all<{ job_id: string; chunk: number; epoch: number }>(sql`UPDATE job_chunks
          SET state = 'leased', epoch = epoch + 1, due_at = ${leaseUntil}
          WHERE job_id = ${jobId} AND chunk IN (SELECT chunk FROM job_chunks
            WHERE job_id = ${jobId} AND state = 'waiting' AND due_at <= ${now} ORDER BY due_at LIMIT ${count})
          RETURNING job_id, chunk, epoch`),
      )
      const started = database.run(sql`UPDATE jobs SET status = 'running', started_at = coalesce(started_at, ${now})
        WHERE status = 'queued' AND job_id IN (SELECT value FROM json_each(${JSON.stringify([...shares.keys()])}))`)
      const [, ...leased] = await database.batch([started, ...leases])
      return leased.flat().map(({ job_id, chunk, epoch }) => ({ jobId: job_id, chunk, leaseEpoch: epoch }))
    },

    async release(messages, now) {
      await database.run(sql`WITH m AS MATERIALIZED (${toRows(messages)})
        UPDATE job_chunks SET state = 'waiting', due_at = ${now}, epoch = job_chunks.epoch - 1
        FROM m WHERE ${IS_SAME_LEASE} AND state = 'leased'`)
    },

    async recall(accountId, now) {
      await database.run(sql`UPDATE job_chunks SET state = 'waiting', due_at = ${now} WHERE state = 'leased'
        AND job_id IN (SELECT job_id FROM jobs WHERE account_id = ${accountId} AND status = 'running')`)
    },

    async renew(messages, leaseUntil) {
      await database.run(sql`WITH m AS MATERIALIZED (${toRows(messages)})
        UPDATE job_chunks SET due_at = ${leaseUntil} FROM m WHERE ${IS_SAME_LEASE} AND state = 'running'`)
    },

    async claim({ jobId, chunk, leaseEpoch }, leaseUntil) {
      const claimed = await database.all<ClaimedRow>(sql`UPDATE job_chunks SET state = 'running', due_at = ${leaseUntil}
        WHERE job_id = ${jobId} AND chunk = ${chunk} AND epoch = ${leaseEpoch} AND state = 'leased'
          AND EXISTS (SELECT 1 FROM jobs WHERE job_id = ${jobId} AND status = 'running' AND ${NOT_SUSPENDED})
        RETURNING passes, after_domain, after_idx, last_domain, last_idx,
          (SELECT smtp FROM jobs WHERE job_id = ${jobId}) AS smtp,
          (SELECT account_id FROM jobs WHERE job_id = ${jobId}) AS account_id`)
      const row = claimed[0]
      if (!row) return null
      const rows = await database.all<{ idx: number; email: string; evidence: string | null; attempts: number }>(sql`
        SELECT idx, email, evidence, attempts FROM job_items
        WHERE job_id = ${jobId} AND (domain, idx) > (${row.after_domain}, ${row.after_idx})
          AND (domain, idx) <= (${row.last_domain}, ${row.last_idx}) AND status IS NULL
        ORDER BY domain, idx`)
      const items = rows.map(({ evidence, ...item }) => ({
        ...item,
        evidence: evidence === null ? null : (JSON.parse(evidence) as Evidence),
      }))
      return { accountId: row.account_id, smtp: row.smtp === 1, passes: row.passes, items }
    },

    async releaseForRetry({ jobId, chunk, leaseEpoch }, dueAt) {
      await database.run(sql`UPDATE job_chunks SET state = 'waiting', due_at = ${dueAt}
        WHERE job_id = ${jobId} AND chunk = ${chunk} AND epoch = ${leaseEpoch} AND state = 'running'`)
    },

    async write({ message: { jobId, chunk, leaseEpoch }, items, results, nextAt, isCounted, now, eventId }) {
      const rows = JSON.stringify(items.map(toRow))
      const running = sql`EXISTS (SELECT 1 FROM jobs WHERE job_id = ${jobId} AND status = 'running')`
      // Items record what an account verified. Leftovers of turbo calls go with their job, so they are recorded here.
      const owner = sql`(SELECT account_id FROM jobs WHERE job_id = ${jobId} AND kind = 'turbo')`
      const [kept, , , , , ended] = await database.batch([
        database.run(insertResults(JSON.stringify(results.map(resultRow)), running)),
        database.run(insertVerified(results, owner, sql`${running} AND ${owner} IS NOT NULL`)),
        database.run(sql`UPDATE jobs SET done = done + n, valid = jobs.valid + s.valid, invalid = jobs.invalid + s.invalid,
            accept_all = jobs.accept_all + s.accept_all, unknown = jobs.unknown + s.unknown,
            invalid_syntax = jobs.invalid_syntax + s.invalid_syntax, cached = jobs.cached + s.cached,
            failed = jobs.failed + s.failed, abandoned = jobs.abandoned + s.abandoned, credits = jobs.credits + s.credits
          FROM (${countOpen(rows, jobId)}) AS s WHERE job_id = ${jobId} AND status = 'running'`),
        // Materialized, or SQLite parses the whole JSON again for each item. Items erased during the work stay erased:
        // an erasure could not find them by their evidence.
        database.run(sql`WITH r AS MATERIALIZED (SELECT value ->> 0 AS idx, value ->> 1 AS status, value ->> 2 AS score,
            value -> 3 AS evidence, value ->> 4 AS cached, value ->> 5 AS verified_at, value ->> 6 AS attempts,
            value ->> 7 AS error FROM json_each(${rows}))
          UPDATE job_items SET status = r.status, score = r.score, cached = r.cached,
            evidence = CASE WHEN email = '' THEN ${ERASED_EVIDENCE} ELSE r.evidence END,
            verified_at = r.verified_at, attempts = r.attempts, error = r.error
          FROM r WHERE job_id = ${jobId} AND job_items.idx = r.idx AND job_items.status IS NULL AND ${running}`),
        database.run(sql`UPDATE job_chunks SET passes = passes + ${Number(isCounted)}, state = ${nextAt === null ? "done" : "waiting"},
            due_at = ${nextAt ?? now}
          WHERE job_id = ${jobId} AND chunk = ${chunk} AND epoch = ${leaseEpoch} AND state = 'running'`),
        database.all(sql`UPDATE jobs SET status = CASE WHEN abandoned = total THEN 'failed' ELSE 'complete' END,
            completed_at = ${now}, completed_event_id = ${eventId}
          WHERE job_id = ${jobId} AND done = total AND status = 'running' RETURNING job_id`),
      ])
      return { isEnd: ended.length === 1, isStored: kept.rowsAffected > 0 }
    },
  }
}

/** The chunks and lease epochs of messages, as rows. */
function toRows(messages: readonly ChunkMessage[]) {
  const rows = JSON.stringify(messages.map(({ jobId, chunk, leaseEpoch }) => [jobId, chunk, leaseEpoch]))
  return sql`SELECT value ->> 0 AS job_id, value ->> 1 AS chunk, value ->> 2 AS epoch FROM json_each(${rows})`
}

const IS_SAME_LEASE = sql`job_chunks.job_id = m.job_id AND job_chunks.chunk = m.chunk AND job_chunks.epoch = m.epoch`

function toRow(item: PassedItem) {
  const { idx, status, score, evidence, cached, verifiedAt, attempts, error, isAbandoned, credits } = item
  return [idx, status, score, evidence, Number(cached), verifiedAt, attempts, error, Number(isAbandoned), credits]
}

/** Sums over rows that end a still open item, so that progress stays exact when a pass is repeated. */
function countOpen(rows: string, jobId: string) {
  const sum = (what: string) => sql.raw(`coalesce(sum(${what}), 0)`)
  const ofStatus = (status: Status) => sum(`r.value ->> 1 = '${status}'`)
  return sql`SELECT count(*) AS n, ${ofStatus("valid")} AS valid, ${ofStatus("invalid")} AS invalid,
      ${ofStatus("accept_all")} AS accept_all, ${ofStatus("unknown")} AS unknown,
      ${ofStatus("invalid_syntax")} AS invalid_syntax, ${sum("r.value ->> 4")} AS cached,
      ${sum("r.value ->> 7 IS NOT NULL")} AS failed, ${sum("r.value ->> 8")} AS abandoned, ${sum("r.value ->> 9")} AS credits
    FROM json_each(${rows}) AS r CROSS JOIN job_items AS i ON i.job_id = ${jobId} AND i.idx = r.value ->> 0
    WHERE i.status IS NULL AND r.value ->> 1 IS NOT NULL`
}

import { sql } from "drizzle-orm"
import type { Status } from "../../../../schema/vocabulary.ts"
import { ERASED_EVIDENCE } from "../../../domain/compliance/data-subject.ts"
import type { Evidence } from "../../../domain/verification/evidence.ts"
import type { Database } from "../database.ts"
import { insertResults, insertVerified, type ResultToStore, resultRow, verifiedFor } from "../verification/results.ts"

/** The result of a pass for one item. */
export interface PassedItem {
  readonly idx: number
  /** Null: the item stays open for another pass. */
  readonly status: Status | null
  readonly score: number
  /** The send decision, without the account's flags. */
  readonly canSend: boolean
  readonly evidence: Evidence
  readonly cached: boolean
  readonly verifiedAt: number
  readonly attempts: number
  readonly error: string | null
  /** No pass of the item ever completed. */
  readonly isAbandoned: boolean
  readonly credits: number
}

export interface FinishedItems {
  readonly items: readonly PassedItem[]
  /** Results to store for all accounts. */
  readonly results: readonly ResultToStore[]
}

/** The statements that finish open items of a running job. The first one's affected rows are the stored results. */
export function finishItems(database: Database, jobId: string, { items, results }: FinishedItems) {
  const rows = JSON.stringify(items.map(toRow))
  const running = sql`EXISTS (SELECT 1 FROM jobs WHERE job_id = ${jobId} AND status = 'running')`
  // Items record what an account verified. Leftovers of turbo calls go with their job, so they are recorded here.
  const owner = sql`(SELECT account_id FROM jobs WHERE job_id = ${jobId} AND kind = 'turbo')`
  return [
    database.run(insertResults(JSON.stringify(results.map(resultRow)), running)),
    database.run(insertVerified(verifiedFor(results, owner, sql`${running} AND ${owner} IS NOT NULL`))),
    database.run(sql`UPDATE jobs SET done = done + n, valid = jobs.valid + s.valid, invalid = jobs.invalid + s.invalid,
        accept_all = jobs.accept_all + s.accept_all, unknown = jobs.unknown + s.unknown,
        invalid_syntax = jobs.invalid_syntax + s.invalid_syntax, cached = jobs.cached + s.cached,
        failed = jobs.failed + s.failed, abandoned = jobs.abandoned + s.abandoned, credits = jobs.credits + s.credits,
        sendable = jobs.sendable + s.sendable
      FROM (${countOpen(rows, jobId)}) AS s WHERE job_id = ${jobId} AND status = 'running'`),
    // Materialized, or SQLite parses the whole JSON again for each item. Items erased during the work stay erased:
    // an erasure could not find them by their evidence.
    database.run(sql`WITH r AS MATERIALIZED (SELECT value ->> 0 AS idx, value ->> 1 AS status, value ->> 2 AS score,
        value -> 3 AS evidence, value ->> 4 AS cached, value ->> 5 AS verified_at, value ->> 6 AS attempts,
        value ->> 7 AS error, value ->> 10 AS can_send FROM json_each(${rows}))
      UPDATE job_items SET status = r.status, score = r.score, can_send = r.can_send, cached = r.cached,
        evidence = CASE WHEN email = '' THEN ${ERASED_EVIDENCE} ELSE r.evidence END,
        verified_at = r.verified_at, attempts = r.attempts, error = r.error
      FROM r WHERE job_id = ${jobId} AND job_items.idx = r.idx AND job_items.status IS NULL AND ${running}`),
  ] as const
}

function toRow(item: PassedItem) {
  const { idx, status, score, evidence, cached, verifiedAt, attempts, error, isAbandoned, credits } = item
  const canSend = status === null ? null : Number(item.canSend)
  const row = [idx, status, score, evidence, Number(cached), verifiedAt, attempts, error, Number(isAbandoned), credits]
  return [...row, canSend]
}

/** Sums over rows that end a still open item, so that progress stays exact when a pass is repeated. */
function countOpen(rows: string, jobId: string) {
  const sum = (what: string) => sql.raw(`coalesce(sum(${what}), 0)`)
  const ofStatus = (status: Status) => sum(`r.value ->> 1 = '${status}'`)
  return sql`SELECT count(*) AS n, ${ofStatus("valid")} AS valid, ${ofStatus("invalid")} AS invalid,
      ${ofStatus("accept_all")} AS accept_all, ${ofStatus("unknown")} AS unknown,
      ${ofStatus("invalid_syntax")} AS invalid_syntax, ${sum("r.value ->> 4")} AS cached,
      ${sum("r.value ->> 7 IS NOT NULL")} AS failed, ${sum("r.value ->> 8")} AS abandoned, ${sum("r.value ->> 9")} AS credits,
      ${sum("r.value ->> 10")} AS sendable
    FROM json_each(${rows}) AS r CROSS JOIN job_items AS i ON i.job_id = ${jobId} AND i.idx = r.value ->> 0
    WHERE i.status IS NULL AND r.value ->> 1 IS NOT NULL`
}

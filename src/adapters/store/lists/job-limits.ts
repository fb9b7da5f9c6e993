import { sql } from "drizzle-orm"
import type { Database } from "../database.ts"
import { type OpenItem, type OpenRow, toOpenItem } from "./job-chunks.ts"

/** Jobs that end at a given time (`finish_within`). Every statement is short, also for a list of a million. */
export interface JobLimits {
  /** Jobs whose time is over and that still run. @param now Unix ms */
  due(now: number): Promise<{ jobId: string; submitted: number }[]>
  /** Ends the work of a job: no chunk runs again. The job stays open until its items are finished. */
  stop(jobId: string, now: number): Promise<void>
  /** Unfinished items with idx in [from, from + count). */
  open(jobId: string, range: { from: number; count: number }): Promise<OpenItem[]>
  /** Ends a job whose items are all finished. @returns false when it was over or has unfinished items */
  end(jobId: string, end: { now: number; eventId: string }): Promise<boolean>
}

const JOBS_AT_ONCE = 10

export function createJobLimits(database: Database): JobLimits {
  return {
    async due(now) {
      return database.all<{ jobId: string; submitted: number }>(sql`SELECT job_id AS jobId, submitted FROM jobs
        WHERE status IN ('queued', 'running') AND created_at + finish_within * 1000 <= ${now} LIMIT ${JOBS_AT_ONCE}`)
    },

    async stop(jobId, now) {
      await database.batch([
        database.run(sql`UPDATE jobs SET status = 'running', started_at = coalesce(started_at, ${now})
          WHERE job_id = ${jobId} AND status = 'queued'`),
        database.run(sql`UPDATE job_chunks SET state = 'done', due_at = ${now}
          WHERE job_id = ${jobId} AND state <> 'done'`),
      ])
    },

    async open(jobId, { from, count }) {
      const rows = await database.all<OpenRow>(sql`SELECT idx, email, evidence, attempts FROM job_items
        WHERE job_id = ${jobId} AND idx >= ${from} AND idx < ${from + count} AND status IS NULL ORDER BY idx`)
      return rows.map(toOpenItem)
    },

    async end(jobId, { now, eventId }) {
      const ended = await database.all(sql`UPDATE jobs SET status = 'complete', completed_at = ${now},
          completed_event_id = ${eventId}
        WHERE job_id = ${jobId} AND done = total AND status = 'running' RETURNING job_id`)
      return ended.length === 1
    },
  }
}

import { sql } from "drizzle-orm"
import type { Database } from "../database.ts"
import { type OpenItem, type OpenRow, toOpenItem } from "./job-chunks.ts"

const JOBS_AT_ONCE = 10

/** Jobs that end at a given time (`finish_within`). Every statement is short, also for a list of a million. */
export function createJobLimits(database: Database) {
  return {
    /** Jobs whose time is over and that still run. @param now Unix ms */
    async due(now: number): Promise<{ jobId: string; submitted: number }[]> {
      return database.all<{ jobId: string; submitted: number }>(sql`SELECT job_id AS jobId, submitted FROM jobs
        WHERE status IN ('queued', 'running') AND created_at + finish_within * 1000 <= ${now} LIMIT ${JOBS_AT_ONCE}`)
    },

    /** Ends the work of a job: no chunk runs again. The job stays open until its items are finished. */
    async stop(jobId: string, now: number) {
      await database.batch([
        database.run(sql`UPDATE jobs SET status = 'running', started_at = coalesce(started_at, ${now})
          WHERE job_id = ${jobId} AND status = 'queued'`),
        database.run(sql`UPDATE job_chunks SET state = 'done', due_at = ${now}
          WHERE job_id = ${jobId} AND state <> 'done'`),
      ])
    },

    /** Unfinished items with idx in [from, from + count). */
    async open(jobId: string, { from, count }: { from: number; count: number }): Promise<OpenItem[]> {
      const rows = await database.all<OpenRow>(sql`SELECT idx, email, evidence, attempts FROM job_items
        WHERE job_id = ${jobId} AND idx >= ${from} AND idx < ${from + count} AND status IS NULL ORDER BY idx`)
      return rows.map(toOpenItem)
    },

    /** Ends a job whose items are all finished. @returns false when it was over or has unfinished items */
    async end(jobId: string, { now, eventId }: { now: number; eventId: string }): Promise<boolean> {
      const ended = await database.all(sql`UPDATE jobs SET status = 'complete', completed_at = ${now},
          completed_event_id = ${eventId}
        WHERE job_id = ${jobId} AND done = total AND status = 'running' RETURNING job_id`)
      return ended.length === 1
    },
  }
}

import { sql } from "drizzle-orm"
import { type jobItems, jobs } from "../../../../schema/tables/lists.ts"
import type { Position } from "../../../domain/lists/job.ts"
import type { Database } from "../database.ts"
import { deleteInBatches, inBatches } from "../in-batches.ts"
import { jsonRows, valuesOf } from "../json-rows.ts"

export type NewJob = Pick<typeof jobs.$inferSelect, "jobId" | "accountId" | "kind" | "parentId" | "createdAt"> & {
  readonly fileName?: string | null
}

export type JobOptions = Pick<typeof jobs.$inferSelect, "smtp" | "deduplicate" | "webhookUrl" | "finishWithin">

/** `isDuplicate`: an earlier item of the same `add` call has the same mailbox. */
export type NewItem = Pick<typeof jobItems.$inferSelect, "idx" | "email" | "domain" | "mailbox" | "isDuplicate">

/** Counts of the new items of one call. */
interface Added {
  readonly unique: number
  /** Items that may cost credits. */
  readonly payable: number
}

interface NewChunk {
  readonly chunk: number
  readonly after: Position
  readonly last: Position
  readonly dueAt: number
}

/** Rows of a job before its start. Every statement is short, so a list of a million needs many of them. */
export type JobIntake = ReturnType<typeof createJobIntake>

/** Whether addresses under `.test` are free. Malformed ones always are. */
export interface Price {
  readonly isTestFree: boolean
}

const isPayable = ({ isTestFree }: Price) =>
  isTestFree ? sql`domain <> '' AND domain <> 'test' AND domain NOT LIKE '%.test'` : sql`domain <> ''`

/** Items copied by one statement, within the database's time limit of three seconds. */
const COPIED_AT_ONCE = 10_000

/** An abandoned job is marked before its rows are deleted: otherwise a job started meanwhile would lose them. */
const IS_RECEIVING = sql`status = 'receiving' AND settled_at IS NULL`

export function createJobIntake(database: Database) {
  return {
    async open(job: NewJob) {
      // Anonymous callers share one queue key per job kind. One per network would delay paying accounts among thousands.
      const lane = job.accountId ?? job.kind
      await database.insert(jobs).values({ ...job, lane, status: "receiving", smtp: true, deduplicate: true })
    },

    /** Adds items in order while the job is receiving; marks items whose mailbox the job already has. */
    async add(jobId: string, items: readonly NewItem[], price: Price): Promise<Added> {
      const rows = jsonRows(items, "idx", "email", "domain", "mailbox", "isDuplicate")
      const [first, last] = [items[0]?.idx ?? 0, items.at(-1)?.idx ?? -1]
      const [, counted] = await database.batch([
        database.run(sql`INSERT INTO job_items (job_id, idx, email, domain, mailbox, is_duplicate)
          SELECT ${jobId}, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 OR EXISTS (
            SELECT 1 FROM job_items AS other WHERE other.mailbox = value ->> 3 AND other.job_id = ${jobId})
          FROM json_each(${rows})
          WHERE EXISTS (SELECT 1 FROM jobs WHERE job_id = ${jobId} AND ${IS_RECEIVING}) ON CONFLICT DO NOTHING`),
        database.all<Added>(sql`SELECT count(*) AS "unique", count(*) FILTER (WHERE ${isPayable(price)}) AS payable FROM job_items
          WHERE job_id = ${jobId} AND idx BETWEEN ${first} AND ${last} AND is_duplicate = 0`),
      ])
      return counted[0]!
    },

    /** Copies failed items that no other child has, and numbers them from 0. @returns the number of items */
    async copyFailed(
      jobId: string,
      { parentId, unfinished }: { parentId: string; unfinished: boolean },
    ): Promise<number> {
      const left = sql`job_id = ${parentId} AND retried_in IS NULL
        AND ${unfinished ? sql`(error IS NOT NULL OR status IS NULL)` : sql`error IS NOT NULL`}`
      const some = (after: number) =>
        sql`SELECT idx FROM job_items WHERE ${left} AND idx > ${after} ORDER BY idx LIMIT ${COPIED_AT_ONCE}`
      let copied = 0
      for (let after = -1; ; ) {
        const ends = await database.all<{ idx: number | null }>(sql`SELECT max(idx) AS idx FROM (${some(after)})`)
        const last = ends[0]?.idx ?? null
        if (last === null) return copied
        const [, added] = await database.batch([
          database.run(
            sql`UPDATE job_items SET retried_in = ${jobId} WHERE ${left} AND idx > ${after} AND idx <= ${last}`,
          ),
          database.run(sql`INSERT INTO job_items (job_id, idx, email, domain, mailbox, is_duplicate, evidence)
            SELECT ${jobId}, ${copied} + row_number() OVER (ORDER BY idx) - 1, email, domain, mailbox, 0, evidence
            FROM job_items WHERE job_id = ${parentId} AND retried_in = ${jobId} AND idx > ${after} AND idx <= ${last}`),
        ])
        copied += added.rowsAffected
        after = last
      }
    },

    /** The most frequent domains with their counts; The domain of malformed addresses is "". */
    async domainCounts(jobId: string, limit: number): Promise<{ domain: string; count: number }[]> {
      return database.all<{ domain: string; count: number }>(sql`SELECT domain, count(*) AS count FROM job_items
        WHERE job_id = ${jobId} GROUP BY domain ORDER BY domain <> '', 2 DESC LIMIT ${limit}`)
    },

    /** The number of items that may cost credits, and of the other well-formed ones: those of test mode. */
    async priced(jobId: string, price: Price): Promise<{ readonly payable: number; readonly free: number }> {
      const [counted] = await database.all<{ payable: number; wellFormed: number }>(
        sql`SELECT count(*) FILTER (WHERE ${isPayable(price)}) AS payable, count(*) AS "wellFormed"
          FROM job_items WHERE job_id = ${jobId} AND domain <> ''`,
      )
      const { payable, wellFormed } = counted!
      return { payable, free: wellFormed - payable }
    },

    /** Random addresses of the given domains, or with `isRest` of all other well-formed addresses. */
    async pick(
      jobId: string,
      { domains, isRest, count }: { domains: readonly string[]; isRest: boolean; count: number },
    ): Promise<string[]> {
      if (count === 0) return []
      const listed = valuesOf(domains)
      const wanted = isRest ? sql`domain <> '' AND domain NOT IN ${listed}` : sql`domain IN ${listed}`
      const rows = await database.all<{ email: string }>(
        sql`SELECT email FROM job_items WHERE job_id = ${jobId} AND ${wanted} ORDER BY random() LIMIT ${count}`,
      )
      return rows.map(({ email }) => email)
    },

    /** Deletes the marked items with idx in [from, from + count). */
    async removeDuplicates(jobId: string, { from, count }: { from: number; count: number }) {
      await database.run(sql`DELETE FROM job_items
        WHERE job_id = ${jobId} AND idx >= ${from} AND idx < ${from + count} AND is_duplicate = 1`)
    },

    /** End positions of the next chunks of `size` items after a position; fewer than `count` at the end. */
    async boundaries(
      jobId: string,
      { after, size, count }: { after: Position; size: number; count: number },
    ): Promise<Position[]> {
      return database.all<Position>(sql`SELECT domain, idx FROM (
          SELECT domain, idx, row_number() OVER (ORDER BY domain, idx) AS n, count(*) OVER () AS rows FROM (
            SELECT domain, idx FROM job_items
            WHERE job_id = ${jobId} AND (domain, idx) > (${after.domain}, ${after.idx})
            ORDER BY domain, idx LIMIT ${size * count}))
        WHERE n % ${size} = 0 OR n = rows ORDER BY domain, idx`)
    },

    async addChunks(jobId: string, chunks: readonly NewChunk[]) {
      await database.run(sql`INSERT INTO job_chunks (job_id, chunk, after_domain, after_idx, last_domain, last_idx, due_at, state)
        SELECT ${jobId}, value ->> 'chunk', value ->> '$.after.domain', value ->> '$.after.idx', value ->> '$.last.domain',
          value ->> '$.last.idx', value ->> 'dueAt', 'waiting'
        FROM json_each(${JSON.stringify(chunks)}) WHERE true ON CONFLICT DO NOTHING`)
    },

    /** Makes the job visible and ready for work. @returns false when it was abandoned */
    async start(
      jobId: string,
      {
        smtp,
        deduplicate,
        webhookUrl,
        finishWithin,
        submitted,
        total,
      }: JobOptions & { submitted: number; total: number },
    ): Promise<boolean> {
      const started = await database.all(sql`UPDATE jobs SET status = 'queued', smtp = ${Number(smtp)},
          deduplicate = ${Number(deduplicate)}, webhook_url = ${webhookUrl},
          finish_within = ${finishWithin}, submitted = ${submitted}, total = ${total}
        WHERE job_id = ${jobId} AND ${IS_RECEIVING} RETURNING job_id`)
      return started.length === 1
    },

    /** Deletes the job with all its rows. */
    async drop(jobId: string) {
      const own = sql`job_id = ${jobId}`
      await deleteInBatches(database, { table: "job_items", where: own })
      await deleteInBatches(database, { table: "job_rows", where: own })
      await inBatches(database, {
        table: "job_items",
        where: sql`retried_in = ${jobId} AND job_id = (SELECT parent_id FROM jobs WHERE ${own})`,
        statement: (rows) => sql`UPDATE job_items SET retried_in = NULL WHERE ${rows}`,
      })
      await database.batch([
        database.run(sql`DELETE FROM job_chunks WHERE ${own}`),
        database.run(sql`DELETE FROM job_files WHERE ${own}`),
        database.run(sql`DELETE FROM jobs WHERE ${own}`),
      ])
    },
  }
}

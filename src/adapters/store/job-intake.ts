import { sql } from "drizzle-orm"
import { jobs } from "../../../schema/tables/jobs.ts"
import type { JobKind } from "../../../schema/vocabulary.ts"
import type { Position } from "../../domain/bulk/plan-chunks.ts"
import type { Database } from "./database.ts"
import { deleteInPieces, inPieces } from "./in-pieces.ts"

export interface NewJob {
  readonly jobId: string
  readonly accountId: string | null
  readonly kind: JobKind
  readonly parentId: string | null
  readonly fileName?: string | null
  readonly createdAt: number
}

export interface JobOptions {
  readonly smtp: boolean
  readonly deduplicate: boolean
  readonly webhookUrl: string | null
}

export interface NewItem {
  readonly idx: number
  readonly email: string
  readonly domain: string
  readonly mailbox: string
  /** A twin stands before it in the same call of `add`. */
  readonly isDuplicate: boolean
}

/** Of the items of one call, those that are new. */
interface Added {
  readonly unique: number
  /** Of them, those that may cost something. */
  readonly wellFormed: number
}

interface NewChunk {
  readonly chunk: number
  readonly after: Position
  readonly last: Position
  readonly dueAt: number
}

/** Rows of a job that nobody sees or works on yet. Every statement is short: lists of a million come in many of them. */
export interface JobIntake {
  open(job: NewJob): Promise<void>
  /** Adds items in order, while they are waited for; marks those whose mailbox the job has already. */
  add(jobId: string, items: readonly NewItem[]): Promise<Added>
  /**
   * Takes the failed items of a job over that no other child has, or also the unfinished ones. Their places are counted
   * anew: whoever reads a job goes through them from 0. @returns how many
   */
  takeOver(jobId: string, from: { parentId: string; unfinished: boolean }): Promise<number>
  /** The most frequent domains with how often they occur; "" stands for the malformed. */
  domainCounts(jobId: string, limit: number): Promise<{ domain: string; count: number }[]>
  /** How many of a job's items are malformed. */
  malformed(jobId: string): Promise<number>
  /** Random addresses of some domains, or with `isRest` of all others that are well-formed. */
  pick(jobId: string, ask: { domains: readonly string[]; isRest: boolean; count: number }): Promise<string[]>
  /** Removes the marked items with idx in [from, from + count). */
  removeDuplicates(jobId: string, range: { from: number; count: number }): Promise<void>
  /** Positions at which chunks of `size` end, of the next items behind a position; fewer than asked for at the end. */
  boundaries(jobId: string, ask: { after: Position; size: number; count: number }): Promise<Position[]>
  addChunks(jobId: string, chunks: readonly NewChunk[]): Promise<void>
  /** Makes the job visible and workable. @returns false when it was given up */
  start(jobId: string, options: JobOptions & { submitted: number; total: number }): Promise<boolean>
  /** Removes the job with all its rows. */
  drop(jobId: string): Promise<void>
}

/** Items taken over at once: the database is waited for for three seconds. */
const TAKEN_AT_ONCE = 10_000

/** A job that is given up is marked so before its rows go: one that was started meanwhile would lose them. */
const IS_AWAITED = sql`status = 'receiving' AND settled_at IS NULL`

export function createJobIntake(database: Database): JobIntake {
  return {
    async open(job) {
      // Strangers share one lane for each kind: with one for each network, paying accounts would wait among thousands.
      const lane = job.accountId ?? job.kind
      await database.insert(jobs).values({ ...job, lane, status: "receiving", smtp: true, deduplicate: true })
    },

    async add(jobId, items) {
      const rows = items.map(({ idx, email, domain, mailbox, isDuplicate }) => [
        idx,
        email,
        domain,
        mailbox,
        isDuplicate ? 1 : 0,
      ])
      const [first, last] = [items[0]?.idx ?? 0, items.at(-1)?.idx ?? -1]
      const [, counted] = await database.batch([
        database.run(sql`INSERT INTO job_items (job_id, idx, email, domain, mailbox, is_duplicate)
          SELECT ${jobId}, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 OR EXISTS (
            SELECT 1 FROM job_items AS other WHERE other.mailbox = value ->> 3 AND other.job_id = ${jobId})
          FROM json_each(${JSON.stringify(rows)})
          WHERE EXISTS (SELECT 1 FROM jobs WHERE job_id = ${jobId} AND ${IS_AWAITED}) ON CONFLICT DO NOTHING`),
        database.all<Added>(sql`SELECT count(*) AS "unique", count(nullif(domain, '')) AS wellFormed FROM job_items
          WHERE job_id = ${jobId} AND idx BETWEEN ${first} AND ${last} AND is_duplicate = 0`),
      ])
      return counted[0]!
    },

    async takeOver(jobId, { parentId, unfinished }) {
      const left = sql`job_id = ${parentId} AND retried_in IS NULL
        AND ${unfinished ? sql`(error IS NOT NULL OR status IS NULL)` : sql`error IS NOT NULL`}`
      const some = (after: number) =>
        sql`SELECT idx FROM job_items WHERE ${left} AND idx > ${after} ORDER BY idx LIMIT ${TAKEN_AT_ONCE}`
      let taken = 0
      for (let after = -1; ; ) {
        const ends = await database.all<{ idx: number | null }>(sql`SELECT max(idx) AS idx FROM (${some(after)})`)
        const last = ends[0]?.idx ?? null
        if (last === null) return taken
        const [, added] = await database.batch([
          database.run(
            sql`UPDATE job_items SET retried_in = ${jobId} WHERE ${left} AND idx > ${after} AND idx <= ${last}`,
          ),
          database.run(sql`INSERT INTO job_items (job_id, idx, email, domain, mailbox, is_duplicate, evidence)
            SELECT ${jobId}, ${taken} + row_number() OVER (ORDER BY idx) - 1, email, domain, mailbox, 0, evidence
            FROM job_items WHERE job_id = ${parentId} AND retried_in = ${jobId} AND idx > ${after} AND idx <= ${last}`),
        ])
        taken += added.rowsAffected
        after = last
      }
    },

    async domainCounts(jobId, limit) {
      return database.all<{ domain: string; count: number }>(sql`SELECT domain, count(*) AS count FROM job_items
        WHERE job_id = ${jobId} GROUP BY domain ORDER BY domain <> '', 2 DESC LIMIT ${limit}`)
    },

    async malformed(jobId) {
      const rows = await database.all<{ n: number }>(
        sql`SELECT count(*) AS n FROM job_items WHERE job_id = ${jobId} AND domain = ''`,
      )
      return rows[0]!.n
    },

    async pick(jobId, { domains, isRest, count }) {
      if (count === 0) return []
      const among = sql`(SELECT value FROM json_each(${JSON.stringify(domains)}))`
      const wanted = isRest ? sql`domain <> '' AND domain NOT IN ${among}` : sql`domain IN ${among}`
      const rows = await database.all<{ email: string }>(
        sql`SELECT email FROM job_items WHERE job_id = ${jobId} AND ${wanted} ORDER BY random() LIMIT ${count}`,
      )
      return rows.map(({ email }) => email)
    },

    async removeDuplicates(jobId, { from, count }) {
      await database.run(sql`DELETE FROM job_items
        WHERE job_id = ${jobId} AND idx >= ${from} AND idx < ${from + count} AND is_duplicate = 1`)
    },

    async boundaries(jobId, { after, size, count }) {
      return database.all<Position>(sql`SELECT domain, idx FROM (
          SELECT domain, idx, row_number() OVER (ORDER BY domain, idx) AS n, count(*) OVER () AS rows FROM (
            SELECT domain, idx FROM job_items
            WHERE job_id = ${jobId} AND (domain, idx) > (${after.domain}, ${after.idx})
            ORDER BY domain, idx LIMIT ${size * count}))
        WHERE n % ${size} = 0 OR n = rows ORDER BY domain, idx`)
    },

    async addChunks(jobId, chunks) {
      const rows = chunks.map(({ chunk, after, last, dueAt }) => [
        chunk,
        after.domain,
        after.idx,
        last.domain,
        last.idx,
        dueAt,
      ])
      await database.run(sql`INSERT INTO job_chunks (job_id, chunk, after_domain, after_idx, last_domain, last_idx, due_at, state)
        SELECT ${jobId}, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, 'waiting'
        FROM json_each(${JSON.stringify(rows)}) WHERE true ON CONFLICT DO NOTHING`)
    },

    async start(jobId, { smtp, deduplicate, webhookUrl, submitted, total }) {
      const started = await database.all(sql`UPDATE jobs SET status = 'queued', smtp = ${Number(smtp)},
          deduplicate = ${Number(deduplicate)}, webhook_url = ${webhookUrl}, submitted = ${submitted}, total = ${total}
        WHERE job_id = ${jobId} AND ${IS_AWAITED} RETURNING job_id`)
      return started.length === 1
    },

    async drop(jobId) {
      const own = sql`job_id = ${jobId}`
      await deleteInPieces(database, { table: "job_items", where: own })
      await deleteInPieces(database, { table: "job_rows", where: own })
      await inPieces(database, {
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

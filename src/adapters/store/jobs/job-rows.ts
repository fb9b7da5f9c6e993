import { eq, sql } from "drizzle-orm"
import { jobFiles } from "../../../../schema/tables/job-rows.ts"
import type { Status } from "../../../../schema/vocabulary.ts"
import type { Evidence } from "../../../domain/verification/evidence.ts"
import type { Database } from "../database.ts"

type JobFile = typeof jobFiles.$inferSelect

export interface NewRow {
  readonly row: number
  readonly cells: readonly string[]
  /** The item of the row; null for a row without an address. */
  readonly idx: number | null
  readonly mailbox: string | null
}

/** A row of the download: a row of the file, or an item of a list without a file. */
export interface JobRow {
  /** Null without a file. */
  readonly cells: readonly string[] | null
  /** Null for a row without an address. */
  readonly email: string | null
  /** Null for a row without an address or with an unfinished item. */
  readonly result: RowResult | null
}

export interface RowResult {
  readonly status: Status
  readonly evidence: Evidence
  readonly cached: boolean
  /** Unix milliseconds. */
  readonly verifiedAt: number
  readonly error: string | null
}

interface RowRange {
  readonly from: number
  readonly count: number
  readonly ofFile: boolean
  /** Leaves out each row whose mailbox came before in the list. */
  readonly isUnique: boolean
}

/** Rows of uploaded files, unchanged. */
export interface JobRowStore {
  add(jobId: string, rows: readonly NewRow[]): Promise<void>
  describe(file: JobFile): Promise<void>
  find(jobId: string): Promise<JobFile | null>
  /** Rows in order, starting at `from`: a row number of the file, or an index of the list. */
  rows(jobId: string, range: RowRange): Promise<JobRow[]>
}

export function createJobRowStore(database: Database): JobRowStore {
  return {
    async add(jobId, rows) {
      if (rows.length === 0) return
      const values = JSON.stringify(rows.map(({ row, cells, idx, mailbox }) => [row, cells, idx, mailbox]))
      await database.run(sql`INSERT INTO job_rows (job_id, row, cells, idx, mailbox)
        SELECT ${jobId}, value ->> 0, value -> 1, value ->> 2, value ->> 3 FROM json_each(${values})
        WHERE true ON CONFLICT DO NOTHING`)
    },

    async describe(file) {
      await database.insert(jobFiles).values(file)
    },

    async find(jobId) {
      return (await database.select().from(jobFiles).where(eq(jobFiles.jobId, jobId)))[0] ?? null
    },

    async rows(jobId, { from, count, ofFile, isUnique }) {
      const item = sql`i.email, i.status, i.evidence, i.cached, i.verified_at, i.error`
      const range = (column: ReturnType<typeof sql>) => sql`${column} >= ${from} AND ${column} < ${from + count}`
      // A duplicate has no item of its own; it shows the result of the item with the same mailbox.
      const own = sql`coalesce((SELECT idx FROM job_items WHERE job_id = ${jobId} AND idx = r.idx),
        (SELECT min(idx) FROM job_items WHERE mailbox = r.mailbox AND job_id = ${jobId}))`
      const firstOfFile = sql`(r.idx IS NULL
        OR EXISTS (SELECT 1 FROM job_items WHERE job_id = ${jobId} AND idx = r.idx AND is_duplicate = 0))`
      const found = await database.all<FoundRow>(
        ofFile
          ? sql`SELECT r.cells, ${item} FROM job_rows AS r
              LEFT JOIN job_items AS i ON i.job_id = ${jobId} AND i.idx = ${own}
              WHERE r.job_id = ${jobId} AND ${range(sql`r.row`)} AND ${isUnique ? firstOfFile : sql`true`} ORDER BY r.row`
          : sql`SELECT NULL AS cells, ${item} FROM job_items AS i
              WHERE i.job_id = ${jobId} AND ${range(sql`i.idx`)} AND ${isUnique ? sql`i.is_duplicate = 0` : sql`true`} ORDER BY i.idx`,
      )
      return found.map(toRow)
    },
  }
}

interface FoundRow {
  readonly cells: string | null
  readonly email: string | null
  readonly status: Status | null
  readonly evidence: string | null
  readonly cached: number
  readonly verified_at: number | null
  readonly error: string | null
}

function toRow({ cells, email, status, evidence, cached, verified_at, error }: FoundRow): JobRow {
  const isDone = status !== null && evidence !== null
  return {
    cells: cells === null ? null : (JSON.parse(cells) as string[]),
    email,
    result: isDone
      ? {
          ...{ status, error },
          evidence: JSON.parse(evidence) as Evidence,
          cached: cached === 1,
          verifiedAt: verified_at ?? 0,
        }
      : null,
  }
}

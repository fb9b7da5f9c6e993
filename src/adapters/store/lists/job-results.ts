import { eq, sql } from "drizzle-orm"
import { jobFiles, type jobRows } from "../../../../schema/tables/lists.ts"
import type { Status } from "../../../../schema/vocabulary.ts"
import type { HostGroup, ItemGroup } from "../../../domain/lists/report.ts"
import type { Evidence } from "../../../domain/verification/evidence.ts"
import { storedDecision } from "../../../domain/verification/send-decision.ts"
import type { Database } from "../database.ts"
import { jsonRows } from "../json-rows.ts"
import { UNDECIDED_SCORE } from "./jobs.ts"

type JobFile = typeof jobFiles.$inferSelect

/** A row of a file. `idx`: its item, null for a row without an address. */
export type NewRow = Omit<typeof jobRows.$inferSelect, "jobId">

/** A row of the download: a row of the file, or an item of a list without a file. */
export interface JobRow {
  /** Null without a file. */
  readonly cells: readonly string[] | null
  /** Null for a row without an address. */
  readonly email: string | null
  /** Null for a row without an address or with an unfinished item. */
  readonly result: RowResult | null
}

interface RowResult {
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
export function createJobRowStore(database: Database) {
  return {
    async add(jobId: string, rows: readonly NewRow[]) {
      if (rows.length === 0) return
      const values = jsonRows(rows, "row", "cells", "idx", "mailbox")
      await database.run(sql`INSERT INTO job_rows (job_id, row, cells, idx, mailbox)
        SELECT ${jobId}, value ->> 0, value -> 1, value ->> 2, value ->> 3 FROM json_each(${values})
        WHERE true ON CONFLICT DO NOTHING`)
    },

    async describe(file: JobFile) {
      await database.insert(jobFiles).values(file)
    },

    async find(jobId: string): Promise<JobFile | null> {
      return (await database.select().from(jobFiles).where(eq(jobFiles.jobId, jobId)))[0] ?? null
    },

    /** Rows in order, starting at `from`: a row number of the file, or an index of the list. */
    async rows(jobId: string, { from, count, ofFile, isUnique }: RowRange): Promise<JobRow[]> {
      const item = sql`i.email, i.status, i.evidence, i.cached, i.verified_at AS "verifiedAt", i.error`
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
  readonly verifiedAt: number | null
  readonly error: string | null
}

function toRow({ cells: text, email, status, evidence: json, cached, verifiedAt, error }: FoundRow): JobRow {
  const cells = text === null ? null : (JSON.parse(text) as string[])
  if (status === null || json === null) return { cells, email, result: null }
  const evidence = JSON.parse(json) as Evidence
  return { cells, email, result: { status, evidence, cached: cached === 1, verifiedAt: verifiedAt ?? 0, error } }
}

interface Range {
  readonly from: number
  readonly count: number
}

/** Two lists of an account. */
interface JobPair {
  readonly jobId: string
  readonly otherId: string
}

export interface StatusChange {
  readonly status: Status | null
  readonly other: Status | null
  /** Whether the other list has the mailbox. */
  readonly isInOther: boolean
  readonly count: number
}

export type ChangedItem = Omit<StatusChange, "count"> & { readonly email: string }

export function createJobReportStore(database: Database) {
  // The join finds the other list's item by the index on (mailbox, job_id).
  const paired = ({ jobId, otherId }: JobPair, { from, count }: Range) => sql`FROM job_items AS i
    LEFT JOIN job_items AS o ON o.mailbox = i.mailbox AND o.job_id = ${otherId} AND o.is_duplicate = 0
    WHERE i.job_id = ${jobId} AND i.idx >= ${from} AND i.idx < ${from + count} AND i.is_duplicate = 0`
  return {
    /**
     * Items of one job beside those of another for the same mailbox, counted by both statuses. Null: not in the other list,
     * or without a result. Duplicates of a mailbox are left out.
     */
    async changes(pair: JobPair, range: Range): Promise<StatusChange[]> {
      const rows = await database.all<StatusChange>(sql`SELECT i.status, o.status AS other,
        o.job_id IS NOT NULL AS "isInOther", count(*) AS count ${paired(pair, range)} GROUP BY 1, 2, 3`)
      return rows.map((row) => ({ ...row, isInOther: Boolean(row.isInOther) }))
    },

    /** Some of the items that have another status in the other list, or none, in the order of their list. */
    async changed(pair: JobPair, range: Range, limit: number): Promise<ChangedItem[]> {
      const rows = await database.all<ChangedItem>(sql`SELECT i.email, i.status, o.status AS other,
        o.job_id IS NOT NULL AS "isInOther" ${paired(pair, range)} AND i.status IS NOT o.status ORDER BY i.idx LIMIT ${limit}`)
      return rows.map((row) => ({ ...row, isInOther: Boolean(row.isInOther) }))
    },

    /** Done items with idx in [from, from + count), grouped by equal properties and by mail host. */
    async groups(jobId: string, { from, count }: Range): Promise<{ items: ItemGroup[]; hosts: HostGroup[] }> {
      const done = sql`job_id = ${jobId} AND idx >= ${from} AND idx < ${from + count} AND status IS NOT NULL`
      const flag = (name: string) => sql.raw(`coalesce(evidence ->> '$.lists.${name}', 0)`)
      const [items, hosts] = await database.batch([
        database.all<TraitsRow>(sql`SELECT status, evidence ->> '$.domain.route.kind' AS route,
            evidence ->> '$.mailbox.outcome.failure' AS failure, evidence ->> '$.mailbox.outcome.reply.code' AS code,
            evidence ->> '$.mailbox.outcome.reply.enhanced' AS enhanced, ${flag("isDisposable")} AS "isDisposable",
            ${flag("isRole")} AS "isRole", ${flag("isFree")} AS "isFree", ${flag("isSubaddress")} AS "isSubaddress",
            min(9, coalesce(score, 0) / 10) AS band, can_send, ${UNDECIDED_SCORE} AS undecided, count(*) AS count,
            sum(coalesce(score, 0)) AS "scoreSum"
          FROM job_items WHERE ${done} GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12`),
        database.all<HostGroup>(sql`SELECT
            coalesce(evidence ->> '$.mailbox.session.mxHost', evidence ->> '$.domain.route.hosts[0].host') AS "mxHost",
            status, count(*) AS count FROM job_items WHERE ${done} GROUP BY 1, 2`),
      ])
      return { items: items.map(toGroup), hosts }
    },

    /** Addresses of done items in the range that may be sent to, apart from the account's flags. */
    async sendable(jobId: string, { from, count }: Range): Promise<string[]> {
      const rows = await database.all<DecisionRow & { email: string }>(sql`SELECT email, status, can_send,
          ${UNDECIDED_SCORE} AS undecided FROM job_items
        WHERE job_id = ${jobId} AND idx >= ${from} AND idx < ${from + count} AND status IS NOT NULL AND can_send IS NOT 0`)
      return rows.filter(isSendable).map(({ email }) => email)
    },
  }
}

interface DecisionRow {
  readonly status: Status
  readonly can_send: number | null
  readonly undecided: number
}

function isSendable({ can_send, status, undecided }: DecisionRow): boolean {
  return storedDecision({ canSend: can_send === null ? null : can_send === 1, status, score: undecided })
}

/** SQLite has no booleans. */
type Flags = Pick<ItemGroup, "isDisposable" | "isRole" | "isFree" | "isSubaddress">
type TraitsRow = Omit<ItemGroup, "canSend" | keyof Flags> & DecisionRow & Record<keyof Flags, number>

function toGroup({ can_send, undecided, ...row }: TraitsRow): ItemGroup {
  return {
    ...row,
    isDisposable: row.isDisposable === 1,
    isRole: row.isRole === 1,
    isFree: row.isFree === 1,
    isSubaddress: row.isSubaddress === 1,
    canSend: isSendable({ can_send, undecided, status: row.status }),
  }
}

import { sql } from "drizzle-orm"
import type { SmtpFailure, Status } from "../../../../schema/vocabulary.ts"
import type { HostGroup, ItemGroup } from "../../../domain/lists/report.ts"
import { storedDecision } from "../../../domain/verification/send-decision.ts"
import type { Database } from "../database.ts"
import { UNDECIDED_SCORE } from "./jobs.ts"

interface Range {
  readonly from: number
  readonly count: number
}

/** Two lists of an account. */
export interface JobPair {
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

export interface JobReportStore {
  /** Done items with idx in [from, from + count), grouped by equal properties and by mail host. */
  groups(jobId: string, range: Range): Promise<{ items: ItemGroup[]; hosts: HostGroup[] }>
  /**
   * Items of one job beside those of another for the same mailbox, counted by both statuses. Null: not in the other list,
   * or without a result. Duplicates of a mailbox are left out.
   */
  changes(pair: JobPair, range: Range): Promise<StatusChange[]>
  /** Some of the items that have another status in the other list, or none, in the order of their list. */
  changed(pair: JobPair, range: Range, limit: number): Promise<ChangedItem[]>
  /** Addresses of done items in the range that may be sent to, apart from the account's flags. */
  sendable(jobId: string, range: Range): Promise<string[]>
}

export function createJobReportStore(database: Database): JobReportStore {
  // The join finds the other list's item by the index on (mailbox, job_id).
  const paired = ({ jobId, otherId }: JobPair, { from, count }: Range) => sql`FROM job_items AS i
    LEFT JOIN job_items AS o ON o.mailbox = i.mailbox AND o.job_id = ${otherId} AND o.is_duplicate = 0
    WHERE i.job_id = ${jobId} AND i.idx >= ${from} AND i.idx < ${from + count} AND i.is_duplicate = 0`
  return {
    async changes(pair, range) {
      const rows = await database.all<ChangeRow & { count: number }>(sql`SELECT i.status, o.status AS other,
        o.job_id IS NOT NULL AS found, count(*) AS count ${paired(pair, range)} GROUP BY 1, 2, 3`)
      return rows.map(({ status, other, found, count }) => ({ status, other, isInOther: found === 1, count }))
    },

    async changed(pair, range, limit) {
      const rows = await database.all<ChangeRow & { email: string }>(sql`SELECT i.email, i.status, o.status AS other,
        o.job_id IS NOT NULL AS found ${paired(pair, range)} AND i.status IS NOT o.status ORDER BY i.idx LIMIT ${limit}`)
      return rows.map(({ email, status, other, found }) => ({ email, status, other, isInOther: found === 1 }))
    },

    async groups(jobId, { from, count }) {
      const done = sql`job_id = ${jobId} AND idx >= ${from} AND idx < ${from + count} AND status IS NOT NULL`
      const flag = (name: string) => sql.raw(`coalesce(evidence ->> '$.lists.${name}', 0)`)
      const [items, hosts] = await database.batch([
        database.all<TraitsRow>(sql`SELECT status, evidence ->> '$.domain.route.kind' AS route,
            evidence ->> '$.mailbox.outcome.failure' AS failure, evidence ->> '$.mailbox.outcome.reply.code' AS code,
            evidence ->> '$.mailbox.outcome.reply.enhanced' AS enhanced, ${flag("isDisposable")} AS disposable,
            ${flag("isRole")} AS role, ${flag("isFree")} AS free, ${flag("isSubaddress")} AS subaddress,
            min(9, coalesce(score, 0) / 10) AS band, can_send, ${UNDECIDED_SCORE} AS undecided, count(*) AS count,
            sum(coalesce(score, 0)) AS score_sum
          FROM job_items WHERE ${done} GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12`),
        database.all<{ mx_host: string | null; status: Status; count: number }>(sql`SELECT
            coalesce(evidence ->> '$.mailbox.session.mxHost', evidence ->> '$.domain.route.hosts[0].host') AS mx_host,
            status, count(*) AS count FROM job_items WHERE ${done} GROUP BY 1, 2`),
      ])
      return {
        items: items.map(toGroup),
        hosts: hosts.map(({ mx_host, status, count }) => ({ mxHost: mx_host, status, count })),
      }
    },

    async sendable(jobId, { from, count }) {
      const rows = await database.all<DecisionRow & { email: string }>(sql`SELECT email, status, can_send,
          ${UNDECIDED_SCORE} AS undecided FROM job_items
        WHERE job_id = ${jobId} AND idx >= ${from} AND idx < ${from + count} AND status IS NOT NULL AND can_send IS NOT 0`)
      return rows.filter(isSendable).map(({ email }) => email)
    },
  }
}

interface ChangeRow {
  readonly status: Status | null
  readonly other: Status | null
  readonly found: number
}

interface DecisionRow {
  readonly status: Status
  readonly can_send: number | null
  readonly undecided: number
}

function isSendable({ can_send, status, undecided }: DecisionRow): boolean {
  return storedDecision({ canSend: can_send === null ? null : can_send === 1, status, score: undecided })
}

interface TraitsRow extends DecisionRow {
  readonly route: ItemGroup["route"]
  readonly failure: SmtpFailure | null
  readonly code: number | null
  readonly enhanced: string | null
  readonly disposable: number
  readonly role: number
  readonly free: number
  readonly subaddress: number
  readonly band: number
  readonly count: number
  readonly score_sum: number
}

function toGroup(row: TraitsRow): ItemGroup {
  const { status, route, failure, code, enhanced, band, count } = row
  return {
    ...{ status, route, failure, code, enhanced, band, count },
    isDisposable: row.disposable === 1,
    isRole: row.role === 1,
    isFree: row.free === 1,
    isSubaddress: row.subaddress === 1,
    canSend: isSendable(row),
    scoreSum: row.score_sum,
  }
}

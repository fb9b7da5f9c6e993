import { sql } from "drizzle-orm"
import type { SmtpFailure, Status } from "../../../../schema/vocabulary.ts"
import type { HostGroup, ItemGroup } from "../../../domain/bulk/report.ts"
import type { Database } from "../database.ts"

interface Range {
  readonly from: number
  readonly count: number
}

export interface JobReportStore {
  /** Done items with idx in [from, from + count), grouped by equal properties and by mail host. */
  groups(jobId: string, range: Range): Promise<{ items: ItemGroup[]; hosts: HostGroup[] }>
  /** Addresses of done items in the range whose score allows sending. @param from the lowest such score */
  sendable(jobId: string, range: Range, from: number): Promise<string[]>
}

export function createJobReportStore(database: Database): JobReportStore {
  return {
    async groups(jobId, { from, count }) {
      const done = sql`job_id = ${jobId} AND idx >= ${from} AND idx < ${from + count} AND status IS NOT NULL`
      const flag = (name: string) => sql.raw(`coalesce(evidence ->> '$.lists.${name}', 0)`)
      const [items, hosts] = await database.batch([
        database.all<TraitsRow>(sql`SELECT status, evidence ->> '$.domain.route.kind' AS route,
            evidence ->> '$.mailbox.outcome.failure' AS failure, evidence ->> '$.mailbox.outcome.reply.code' AS code,
            evidence ->> '$.mailbox.outcome.reply.enhanced' AS enhanced, ${flag("isDisposable")} AS disposable,
            ${flag("isRole")} AS role, ${flag("isFree")} AS free, ${flag("isSubaddress")} AS subaddress,
            min(9, coalesce(score, 0) / 10) AS band, count(*) AS count, sum(coalesce(score, 0)) AS score_sum
          FROM job_items WHERE ${done} GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10`),
        database.all<{ mx_host: string | null; status: Status; count: number }>(sql`SELECT
            coalesce(evidence ->> '$.mailbox.session.mxHost', evidence ->> '$.domain.route.hosts[0].host') AS mx_host,
            status, count(*) AS count FROM job_items WHERE ${done} GROUP BY 1, 2`),
      ])
      return {
        items: items.map(toGroup),
        hosts: hosts.map(({ mx_host, status, count }) => ({ mxHost: mx_host, status, count })),
      }
    },

    async sendable(jobId, { from, count }, lowest) {
      const rows = await database.all<{ email: string }>(sql`SELECT email FROM job_items
        WHERE job_id = ${jobId} AND idx >= ${from} AND idx < ${from + count} AND score >= ${lowest}
          AND status NOT IN ('invalid', 'invalid_syntax')`)
      return rows.map(({ email }) => email)
    },
  }
}

interface TraitsRow {
  readonly status: Status
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

function toGroup({ disposable, role, free, subaddress, score_sum, ...row }: TraitsRow): ItemGroup {
  const { status, route, failure, code, enhanced, band, count } = row
  return {
    ...{ status, route, failure, code, enhanced, band, count },
    isDisposable: disposable === 1,
    isRole: role === 1,
    isFree: free === 1,
    isSubaddress: subaddress === 1,
    scoreSum: score_sum,
  }
}

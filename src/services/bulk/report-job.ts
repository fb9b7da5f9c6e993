import type { Job } from "../../adapters/store/jobs/jobs.ts"
import type { Context } from "../../context.ts"
import { type HostGroup, type ItemGroup, type Report, reportOn } from "../../domain/bulk/report.ts"
import { isOver } from "./find-job.ts"

/** Items grouped by one statement, well below the database's time limit. */
const ITEMS_AT_ONCE = 20_000
/** Items that the report of a running job covers. */
const MAX_ITEMS_OF_RUNNING = 40_000

/** Reports on the finished items of a job. Memory grows with the number of mail hosts, not with the list. */
export async function reportJob(ctx: Context, job: Job): Promise<Report> {
  const end = isOver(job) ? job.submitted : Math.min(job.submitted, MAX_ITEMS_OF_RUNNING)
  const items: ItemGroup[] = []
  const hosts = new Map<string, HostGroup>()
  for (let from = 0; from < end; from += ITEMS_AT_ONCE) {
    const found = await ctx.store.jobReports.groups(job.jobId, { from, count: ITEMS_AT_ONCE })
    items.push(...found.items)
    for (const group of found.hosts) {
      const key = `${group.status} ${group.mxHost}`
      hosts.set(key, { ...group, count: group.count + (hosts.get(key)?.count ?? 0) })
    }
  }
  return reportOn(items, [...hosts.values()])
}

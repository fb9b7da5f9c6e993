import type { Job } from "../../adapters/store/jobs.ts"
import type { Deps } from "../../deps.ts"
import { type HostGroup, type ItemGroup, type Report, reportOn } from "../../domain/bulk/report.ts"
import { isOver } from "./find-job.ts"

/** Items grouped by one statement, each well under the store's time limit. */
const ITEMS_AT_ONCE = 20_000
/** What a report of a job that is not over looks at. */
const MAX_ITEMS_OF_RUNNING = 40_000

/** What a job's list is worth, of what is done. Memory grows with the mail hosts of a list, not with its length. */
export async function reportJob({ jobReports }: Pick<Deps, "jobReports">, job: Job): Promise<Report> {
  const end = isOver(job) ? job.submitted : Math.min(job.submitted, MAX_ITEMS_OF_RUNNING)
  const items: ItemGroup[] = []
  const hosts = new Map<string, HostGroup>()
  for (let from = 0; from < end; from += ITEMS_AT_ONCE) {
    const found = await jobReports.groups(job.jobId, { from, count: ITEMS_AT_ONCE })
    items.push(...found.items)
    for (const group of found.hosts) {
      const key = `${group.status} ${group.mxHost}`
      hosts.set(key, { ...group, count: group.count + (hosts.get(key)?.count ?? 0) })
    }
  }
  return reportOn(items, [...hosts.values()])
}

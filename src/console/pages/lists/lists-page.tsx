import { useEffect } from "preact/hooks"
import { call, isTemporary } from "../../api/call.ts"
import { type Load, useLoad } from "../../api/load.ts"
import type { JobsPage } from "../../api/shapes.ts"
import { ForAccount } from "../../parts/for-account.tsx"
import { Loaded } from "../../parts/loaded.tsx"
import { Empty } from "../../parts/notice.tsx"
import { Page, Panel } from "../../parts/page.tsx"
import { Pager, usePages } from "../../parts/pager.tsx"
import { JobTable } from "./job-table.tsx"
import { Upload } from "./upload.tsx"

const REFRESH_MS = 3_000

export function ListsPage() {
  return (
    <Page title="Lists" lead="Upload a file and get it back with a verdict for each row.">
      <ForAccount>
        <Upload />
        <RecentJobs />
      </ForAccount>
    </Page>
  )
}

function RecentJobs() {
  const pages = usePages()
  const { cursor } = pages
  const load = useLoad(
    `jobs ${cursor}`,
    (signal) => call<JobsPage>(`/bulk/jobs?limit=50${cursor && `&cursor=${encodeURIComponent(cursor)}`}`, { signal }),
    { keepPrevious: true },
  )
  useAutoRefresh(load)
  return (
    <Panel title="Recent lists">
      <Loaded of={load}>
        {({ jobs, next_cursor: next }) =>
          jobs.length === 0 ? (
            <Empty title="No lists yet">
              <p>Upload a file above. Its progress appears here.</p>
            </Empty>
          ) : (
            <>
              <JobTable jobs={jobs} />
              <Pager pages={pages} next={next} busy={load.isStale} />
            </>
          )
        }
      </Loaded>
    </Panel>
  )
}

/** Fetches the lists again after each response, while a job runs or the service is unavailable. */
function useAutoRefresh(load: Load<JobsPage>): void {
  const found = load.state === "ready" ? load.value : load.state === "failed" ? load.problem : null
  const { reload } = load
  useEffect(() => {
    if (!found) return
    const isPending =
      "jobs" in found ? found.jobs.some(({ completed_at }) => completed_at === null) : isTemporary(found)
    if (!isPending) return
    const timer = setTimeout(reload, REFRESH_MS)
    return () => clearTimeout(timer)
  }, [found])
}

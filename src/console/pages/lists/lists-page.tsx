import { useEffect } from "preact/hooks"
import { call, isPassing } from "../../api/call.ts"
import { type Load, useLoad } from "../../api/load.ts"
import type { Job } from "../../api/shapes.ts"
import { ForAccount } from "../../parts/for-account.tsx"
import { Loaded } from "../../parts/loaded.tsx"
import { Empty } from "../../parts/notice.tsx"
import { Page, Panel } from "../../parts/page.tsx"
import { Pager, usePages } from "../../parts/pager.tsx"
import { JobTable } from "./job-table.tsx"
import { Upload } from "./upload.tsx"

const LOOK_AGAIN_MS = 3_000

export function ListsPage() {
  return (
    <Page title="Lists" lead="Drop a file; get it back with a verdict beside each row.">
      <ForAccount>
        <Upload />
        <RecentJobs />
      </ForAccount>
    </Page>
  )
}

interface JobsPage {
  readonly jobs: readonly Job[]
  readonly next_cursor: string | null
}

function RecentJobs() {
  const pages = usePages()
  const { cursor } = pages
  const load = useLoad(
    `jobs ${cursor}`,
    (signal) => call<JobsPage>(`/bulk/jobs?limit=50${cursor && `&cursor=${encodeURIComponent(cursor)}`}`, { signal }),
    { keep: true },
  )
  useLookAgain(load)
  return (
    <Panel title="Recent lists">
      <Loaded of={load}>
        {({ jobs, next_cursor: next }) =>
          jobs.length === 0 ? (
            <Empty title="No lists yet">
              <p>The first one you drop above will be here, with its progress.</p>
            </Empty>
          ) : (
            <>
              <JobTable jobs={jobs} />
              <Pager pages={pages} next={next} busy={load.isOld} />
            </>
          )
        }
      </Loaded>
    </Panel>
  )
}

/** Looks again a while after each answer, as long as something goes on or nobody answers. */
function useLookAgain(load: Load<JobsPage>): void {
  const found = load.state === "ready" ? load.value : load.state === "failed" ? load.problem : null
  const { reload } = load
  useEffect(() => {
    if (!found) return
    const goesOn = "jobs" in found ? found.jobs.some(({ completed_at }) => completed_at === null) : isPassing(found)
    if (!goesOn) return
    const timer = setTimeout(reload, LOOK_AGAIN_MS)
    return () => clearTimeout(timer)
  }, [found])
}

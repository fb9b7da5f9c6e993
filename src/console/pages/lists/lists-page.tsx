import { useEffect } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { Job } from "../../api/shapes.ts"
import { Loaded } from "../../parts/loaded.tsx"
import { Empty } from "../../parts/notice.tsx"
import { Page, Panel } from "../../parts/page.tsx"
import { SignInNeeded } from "../../parts/sign-in-needed.tsx"
import { useSession } from "../../session.tsx"
import { JobTable } from "./job-table.tsx"
import { Upload } from "./upload.tsx"

const LOOK_AGAIN_MS = 3_000

export function ListsPage() {
  const { account } = useSession()
  return (
    <Page title="Lists" lead="Drop a file; get it back with a verdict beside each row.">
      {account === null ? (
        <SignInNeeded />
      ) : (
        <>
          <Upload />
          <RecentJobs key={account?.account_id ?? ""} />
        </>
      )}
    </Page>
  )
}

function RecentJobs() {
  const load = useLoad("jobs", (signal) => call<{ jobs: readonly Job[] }>("/bulk/jobs?limit=50", { signal }))
  const unfinished = load.state === "ready" && load.value.jobs.some(({ completed_at }) => completed_at === null)
  const { reload } = load
  useEffect(() => {
    if (!unfinished) return
    const timer = setInterval(reload, LOOK_AGAIN_MS)
    return () => clearInterval(timer)
  }, [unfinished])
  return (
    <Panel title="Recent lists">
      <Loaded of={load}>
        {({ jobs }) =>
          jobs.length === 0 ? (
            <Empty title="No lists yet">
              <p>The first one you drop above will be here, with its progress.</p>
            </Empty>
          ) : (
            <JobTable jobs={jobs} />
          )
        }
      </Loaded>
    </Panel>
  )
}

import { useEffect, useState } from "preact/hooks"
import { call, isTemporary } from "../../api/call.ts"
import { type Load, useLoad } from "../../api/load.ts"
import type { JobsPage } from "../../api/shapes.ts"
import { Field, SubmitButton } from "../../parts/field.tsx"
import { Empty } from "../../parts/notice.tsx"
import { Loaded, Panel } from "../../parts/page.tsx"
import { Pager, usePages } from "../../parts/pager.tsx"
import { useChoice } from "../../route.ts"
import { JobTable } from "./job-table.tsx"

const REFRESH_MS = 3_000

/** The account's lists, newest first, found by a part of their names. */
export function RecentLists() {
  const pages = usePages()
  const { cursor } = pages
  const [name, setName] = useChoice("name")
  const load = useLoad(
    `jobs ${cursor} ${name}`,
    (signal) => {
      const query = new URLSearchParams({ limit: "50", ...(cursor && { cursor }), ...(name && { name }) })
      return call<JobsPage>(`/bulk/jobs?${query}`, { signal })
    },
    { keepPrevious: true },
  )
  useAutoRefresh(load)
  function search(next: string) {
    setName(next)
    pages.restart()
  }
  const isEmpty = load.state === "ready" && load.value.jobs.length === 0
  return (
    <Panel title="Recent lists">
      {(name !== "" || !isEmpty) && <Search name={name} busy={load.isStale} onSearch={search} />}
      <Loaded of={load}>
        {({ jobs, next_cursor: next }) => (
          <>
            {jobs.length > 0 ? <JobTable jobs={jobs} /> : name ? <NotFound name={name} /> : <NoLists />}
            <Pager pages={pages} next={next} busy={load.isStale} />
          </>
        )}
      </Loaded>
    </Panel>
  )
}

interface SearchProps {
  readonly name: string
  readonly busy: boolean
  readonly onSearch: (name: string) => void
}

function Search({ name, busy, onSearch }: SearchProps) {
  const [entered, setEntered] = useState(name)
  return (
    <search>
      <form
        class="row end"
        onSubmit={(event) => {
          event.preventDefault()
          onSearch(entered.trim().slice(0, 100))
        }}
      >
        <Field label="File name contains" value={entered} onValue={setEntered} />
        <SubmitButton label="Search" busy={busy} />
        {name !== "" && (
          <button
            type="button"
            class="button"
            onClick={() => {
              setEntered("")
              onSearch("")
            }}
          >
            Show all
          </button>
        )}
      </form>
    </search>
  )
}

function NotFound({ name }: { name: string }) {
  return (
    <Empty title="No list found">
      <p class="break">No file name contains “{name}”.</p>
    </Empty>
  )
}

const NoLists = () => (
  <Empty title="No lists yet">
    <p>Choose a file or paste addresses above. The list and its progress then appear here.</p>
  </Empty>
)

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

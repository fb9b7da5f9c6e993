import { useEffect } from "preact/hooks"
import { isTemporary, type Load, usePaged } from "../../api/call.ts"
import type { Job, JobsPage } from "../../api/shapes.ts"
import { CompositionBar } from "../../parts/bars.tsx"
import { Button } from "../../parts/buttons.tsx"
import { type Column, LoadedTablePanel } from "../../parts/data-table.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { Page } from "../../parts/page.tsx"
import { Ago, Empty, JobBadge } from "../../parts/text.tsx"
import { useChoice } from "../../route.ts"
import { addresses, count, percent } from "../../words.ts"
import { isOver, listName } from "./job-page.tsx"
import { Upload } from "./upload.tsx"

export const ListsPage = () => (
  <Page title="Lists" lead="Upload a file and get it back with a verdict for each row." access="account">
    <Upload />
    <RecentLists />
  </Page>
)

const REFRESH_MS = 3_000

/** The account's lists, newest first, found by a part of their names. */
function RecentLists() {
  const [name, setName] = useChoice("name")
  const load = usePaged<JobsPage>("/bulk/jobs", { limit: "50", name })
  useAutoRefresh(load)
  const form = useForm({ name: { label: "File name contains", initial: name } }, (entered) => {
    setName(entered.name.slice(0, 100))
    return null
  })
  function showAll() {
    form.set({ name: "" })
    setName("")
  }
  const isEmpty = load.state === "ready" && load.value.jobs.length === 0
  return (
    <LoadedTablePanel
      title="Recent lists"
      of={load}
      rows={({ jobs }) => jobs}
      rowKey={({ job_id }) => job_id}
      columns={COLUMNS}
      empty={
        name ? (
          <Empty title="No list found">
            <p class="break">No file name contains “{name}”.</p>
          </Empty>
        ) : (
          <Empty
            title="No lists yet"
            text="Choose a file or paste addresses above. The list and its progress then appear here."
          />
        )
      }
    >
      {(name !== "" || !isEmpty) && (
        <search>
          <Form
            of={form}
            submit="Search"
            layout="row"
            isBusy={load.isStale}
            beside={name !== "" && <Button label="Show all" onClick={showAll} />}
          />
        </search>
      )}
    </LoadedTablePanel>
  )
}

const COLUMNS: readonly Column<Job>[] = [
  [
    "List",
    (job) => (
      <>
        <a href={`#/lists/${job.job_id}`}>{listName(job)}</a>
        <br />
        <span class="soft small">{addresses(job.total)}</span>
      </>
    ),
    "break",
  ],
  [
    "State",
    (job) => (
      <>
        <JobBadge job={job} />
        {(!isOver(job) || job.pct_complete < 100) && (
          <>
            <br />
            <span class="soft small tabular">{Math.floor(job.pct_complete)}% done</span>
          </>
        )}
      </>
    ),
  ],
  ["Sendable", (job) => <Sendable job={job} />, "num"],
  ["Results", ({ summary, total }) => <CompositionBar counts={summary} total={total} />, "bar-cell"],
  ["Credits used", ({ credits_used }) => count(credits_used), "num"],
  ["Submitted", ({ submitted_at }) => <Ago at={submitted_at} />],
]

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

function Sendable({ job: { sendable, progress } }: { job: Job }) {
  if (progress === 0) return <span class="soft">none yet</span>
  return (
    <>
      {percent(sendable / progress)}
      <br />
      <span class="soft small">{count(sendable)}</span>
    </>
  )
}

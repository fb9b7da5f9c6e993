import { usePaged } from "../../api/load.ts"
import type { OperatorJob, OperatorJobPage } from "../../api/shapes.ts"
import { Button } from "../../parts/buttons.tsx"
import { type Column, LoadedTable } from "../../parts/data-table.tsx"
import { Check } from "../../parts/field.tsx"
import { CompositionBar } from "../../parts/figures.tsx"
import { Empty } from "../../parts/notice.tsx"
import { Panel, page } from "../../parts/page.tsx"
import { Ago, JobBadge } from "../../parts/text.tsx"
import { useChoice } from "../../route.ts"
import { count } from "../../words.ts"

const KINDS: Readonly<Record<OperatorJob["kind"], string>> = {
  async: "API",
  upload: "File",
  retry: "Retry",
  reverify: "Operator",
}

const COLUMNS: readonly Column<OperatorJob>[] = [
  {
    title: "Job",
    class: "break",
    cell: ({ job_id, kind, submitted_at }) => (
      <>
        <code class="small">{job_id}</code>
        <div class="soft small">
          {KINDS[kind]}, <Ago at={submitted_at} />
        </div>
      </>
    ),
  },
  {
    title: "Account",
    class: "break",
    cell: ({ account_id: id }) => (id === null ? "Operator" : <a href={`#/accounts/${id}`}>{id}</a>),
  },
  { title: "State", cell: (job) => <JobBadge job={job} /> },
  { title: "Done", class: "num", cell: ({ progress, total }) => `${count(progress)} of ${count(total)}` },
  {
    title: "Found so far",
    class: "bar-cell",
    cell: ({ summary, total }) => <CompositionBar counts={summary} total={total} />,
  },
]

/** Jobs of all accounts, for the operator. Their addresses are not shown. */
export const AllJobsPage = page(Jobs, {
  title: "All jobs",
  lead: "Lists of every account and the operator's own jobs, without their addresses.",
  access: "operator",
})

function Jobs() {
  const [account, setAccount] = useChoice("account")
  const [open, setOpen] = useChoice("open")
  const filters = { limit: "50", account_id: account, open: open ? "true" : "" }
  const load = usePaged<OperatorJobPage>("/admin/jobs", filters, { asOperator: true })
  return (
    <Panel title={account ? "Jobs of one account" : "Newest first"} note={account && <code>{account}</code>}>
      <div class="row">
        <Check label="Only open jobs" checked={open !== ""} onChecked={(next) => setOpen(next ? "yes" : "")} />
        {account && <Button label="Show every account" class="button quiet" onClick={() => setAccount("")} />}
        <Button label="Refresh" class="button quiet" onClick={load.reload} />
      </div>
      <LoadedTable
        of={load}
        label="Jobs"
        rows={({ jobs }) => jobs}
        rowKey={({ job_id }) => job_id}
        columns={COLUMNS}
        empty={<Empty title="No jobs" />}
      />
    </Panel>
  )
}

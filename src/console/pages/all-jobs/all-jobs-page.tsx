import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { OperatorJob, OperatorJobPage } from "../../api/shapes.ts"
import { JobBadge } from "../../parts/badge.tsx"
import { CompositionBar } from "../../parts/composition.tsx"
import { Check } from "../../parts/field.tsx"
import { Empty } from "../../parts/notice.tsx"
import { ForOperator, Loaded, Page, Panel } from "../../parts/page.tsx"
import { Pager, usePages } from "../../parts/pager.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { Ago } from "../../parts/text.tsx"
import { useChoice } from "../../route.ts"
import { count } from "../../words.ts"

const KINDS: Readonly<Record<OperatorJob["kind"], string>> = {
  async: "API",
  upload: "File",
  retry: "Retry",
  reverify: "Operator",
}

/** Jobs of all accounts, for the operator. Their addresses are not shown. */
export function AllJobsPage() {
  return (
    <Page title="All jobs" lead="Lists of every account and the operator's own jobs, without their addresses.">
      <ForOperator>
        <Jobs />
      </ForOperator>
    </Page>
  )
}

function Jobs() {
  const [account, setAccount] = useChoice("account")
  const [open, setOpen] = useChoice("open")
  const pages = usePages()
  const { cursor } = pages
  const load = useLoad(
    `all jobs ${account} ${open} ${cursor}`,
    (signal) => {
      const query = new URLSearchParams({ limit: "50" })
      if (account) query.set("account_id", account)
      if (open) query.set("open", "true")
      if (cursor) query.set("cursor", cursor)
      return call<OperatorJobPage>(`/admin/jobs?${query}`, { signal, asOperator: true })
    },
    { keepPrevious: true },
  )
  return (
    <Panel title={account ? "Jobs of one account" : "Newest first"} note={account && <code>{account}</code>}>
      <div class="row">
        <Check
          label="Only open jobs"
          checked={open !== ""}
          onChecked={(next) => {
            setOpen(next ? "yes" : "")
            pages.restart()
          }}
        />
        {account && (
          <button type="button" class="button quiet" onClick={() => setAccount("")}>
            Show every account
          </button>
        )}
        <button type="button" class="button quiet" onClick={load.reload}>
          Refresh
        </button>
      </div>
      <Loaded of={load}>
        {({ jobs, next_cursor: next }) => (
          <>
            {jobs.length === 0 ? <Empty title="No jobs" /> : <JobRows jobs={jobs} />}
            <Pager pages={pages} next={next} busy={load.isStale} />
          </>
        )}
      </Loaded>
    </Panel>
  )
}

function JobRows({ jobs }: { jobs: readonly OperatorJob[] }) {
  return (
    <Scroll label="Jobs">
      <table class="table">
        <thead>
          <tr>
            <th>Job</th>
            <th>Account</th>
            <th>State</th>
            <th class="num">Done</th>
            <th>Found so far</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <tr key={job.job_id}>
              <td class="break">
                <code class="small">{job.job_id}</code>
                <div class="soft small">
                  {KINDS[job.kind]}, <Ago at={job.submitted_at} />
                </div>
              </td>
              <td class="break">
                {job.account_id === null ? "Operator" : <a href={`#/accounts/${job.account_id}`}>{job.account_id}</a>}
              </td>
              <td>
                <JobBadge job={job} />
              </td>
              <td class="num">
                {count(job.progress)} of {count(job.total)}
              </td>
              <td class="bar-cell">
                <CompositionBar counts={job.summary} total={job.total} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

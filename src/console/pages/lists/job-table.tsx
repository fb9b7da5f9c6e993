import type { Job } from "../../api/shapes.ts"
import { JobBadge } from "../../parts/badge.tsx"
import { CompositionBar } from "../../parts/composition.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { Ago } from "../../parts/text.tsx"
import { addresses, count, percent } from "../../words.ts"
import { listName } from "./list-name.ts"
import { isOver } from "./watch.ts"

export function JobTable({ jobs }: { jobs: readonly Job[] }) {
  return (
    <Scroll label="Recent lists">
      <table class="table">
        <thead>
          <tr>
            <th>List</th>
            <th>State</th>
            <th class="num">Sendable</th>
            <th>Results</th>
            <th class="num">Credits used</th>
            <th>Submitted</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <tr key={job.job_id}>
              <td class="break">
                <a href={`#/lists/${job.job_id}`}>{listName(job)}</a>
                <br />
                <span class="soft small">{addresses(job.total)}</span>
              </td>
              <td>
                <JobBadge job={job} />
                {(!isOver(job) || job.pct_complete < 100) && (
                  <>
                    <br />
                    <span class="soft small tabular">{Math.floor(job.pct_complete)}% done</span>
                  </>
                )}
              </td>
              <td class="num">
                <Sendable job={job} />
              </td>
              <td class="bar-cell">
                <CompositionBar counts={job.summary} total={job.total} />
              </td>
              <td class="num">{count(job.credits_used)}</td>
              <td>
                <Ago at={job.submitted_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

/** The share of the finished addresses that can be sent to. */
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

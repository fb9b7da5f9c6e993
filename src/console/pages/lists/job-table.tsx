import type { Job } from "../../api/shapes.ts"
import { CompositionBar } from "../../parts/composition.tsx"
import { JobBadge } from "../../parts/job-badge.tsx"
import { Ago } from "../../parts/moment.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { count } from "../../words.ts"

export function JobTable({ jobs }: { jobs: readonly Job[] }) {
  return (
    <Scroll label="Recent lists">
      <table class="table">
        <thead>
          <tr>
            <th>List</th>
            <th>State</th>
            <th class="num">Addresses</th>
            <th class="num">Done</th>
            <th>Found so far</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <tr key={job.job_id}>
              <td class="break">
                <a href={`#/lists/${job.job_id}`}>
                  {job.file_name && (
                    <>
                      {job.file_name}
                      <br />
                    </>
                  )}
                  <Ago at={job.submitted_at} />
                  <br />
                  <code class="small">{job.job_id}</code>
                </a>
              </td>
              <td>
                <JobBadge job={job} />
              </td>
              <td class="num">{count(job.total)}</td>
              <td class="num">{Math.floor(job.pct_complete)}%</td>
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

import { useEffect, useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { Job } from "../../api/shapes.ts"
import { Composition } from "../../parts/composition.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { addresses, count, duration } from "../../words.ts"
import { JobBadge } from "./job-table.tsx"
import { isOver } from "./watch.ts"

/** Without progress for this long, the pace no longer predicts the end. */
const STALL_MS = 20_000

export function Progress({ job }: { job: Job }) {
  const { busy, problem, run } = useAction(async () => {
    const answer = await call(`/jobs/${job.job_id}`, { method: "DELETE" })
    return answer.ok ? null : answer.problem
  })
  const pace = usePace(job)
  return (
    <section class="panel" aria-label="Progress">
      <div class="panel-head">
        <div class="row">
          <span role="status">
            <JobBadge job={job} />
          </span>
          <b class="tabular">
            {count(job.progress)} of {count(job.total)}
          </b>
          <span class="soft">{pace}</span>
        </div>
        {!isOver(job) && (
          <button type="button" class="button quiet" aria-disabled={busy} onClick={() => void run()}>
            Stop the list
          </button>
        )}
      </div>
      {!isOver(job) && (
        <progress class="unseen" max={100} value={job.pct_complete} aria-label="Addresses done">
          {job.pct_complete}%
        </progress>
      )}
      <Composition counts={job.summary} room={isOver(job) ? job.progress : job.total} />
      <p class="soft small">
        {[
          job.cached > 0 && `${count(job.cached)} from the cache, no credits used`,
          job.deduplicated > 0 && `${count(job.deduplicated)} duplicate rows verified once`,
          job.original_job_id && "continues an earlier list",
        ]
          .filter(Boolean)
          .join("; ")}
      </p>
      <ProblemNotice problem={problem} />
    </section>
  )
}

/** The duration of a finished job, or an estimate of the rest while the job makes progress. */
function usePace({ status, started_at, completed_at, progress, total }: Job): string {
  const [first] = useState(progress)
  const [stalledAt, setStalledAt] = useState(-1)
  useEffect(() => {
    const timer = setTimeout(() => setStalledAt(progress), STALL_MS)
    return () => clearTimeout(timer)
  }, [progress])
  if (started_at === null) return completed_at === null ? "waiting to start" : ""
  const seconds = (new Date(completed_at ?? Date.now()).getTime() - new Date(started_at).getTime()) / 1_000
  if (completed_at !== null) return `in ${duration(Math.max(1, seconds))}`
  if (progress === stalledAt && status === "running")
    return `${addresses(total - progress)} left: their mail servers are slow or asked for a retry, which can take two hours`
  if (progress === first || seconds < 2) return ""
  return `about ${duration((seconds / progress) * (total - progress))} left`
}

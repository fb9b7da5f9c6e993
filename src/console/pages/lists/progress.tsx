import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { Job } from "../../api/shapes.ts"
import { JobBadge } from "../../parts/badge.tsx"
import { Composition } from "../../parts/composition.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { addresses, count, counted, duration, moment } from "../../words.ts"
import { isOver } from "./watch.ts"

export function Progress({ job }: { job: Job }) {
  const { busy, problem, run } = useAction(async () => {
    const answer = await call(`/jobs/${job.job_id}`, { method: "DELETE" })
    return answer.ok ? null : answer.problem
  })
  const pace = paceOf(job)
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
          job.deduplicated > 0 && `${counted(job.deduplicated, "duplicate row")} verified once`,
          job.original_job_id && "continues an earlier list",
        ]
          .filter(Boolean)
          .join("; ")}
      </p>
      <ProblemNotice problem={problem} />
    </section>
  )
}

/** The duration of a finished job, or what is left of a running one. */
function paceOf({ started_at, completed_at, estimated_seconds, next_attempt_at, retries_until, pending }: Job): string {
  if (started_at === null) return completed_at === null ? "waiting to start" : ""
  if (completed_at !== null) {
    const seconds = (new Date(completed_at).getTime() - new Date(started_at).getTime()) / 1_000
    return `in ${duration(Math.max(1, seconds))}`
  }
  const left = estimated_seconds === null ? "" : `about ${duration(estimated_seconds)} left`
  if (next_attempt_at === null) return left
  const until = retries_until === null ? "" : `, last one ${moment(retries_until)} at the latest`
  return `${left}: ${addresses(pending)} deferred by ${pending === 1 ? "its mail server" : "their mail servers"}, next attempt ${moment(next_attempt_at)}${until}`
}

import { useEffect, useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { Job } from "../../api/shapes.ts"
import { Composition } from "../../parts/composition.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { addresses, count, duration } from "../../words.ts"
import { JobBadge } from "./job-table.tsx"
import { isOver } from "./watch.ts"

/** After so long without news the pace so far says nothing about the rest. */
const STANDSTILL_MS = 20_000

export function Progress({ job }: { job: Job }) {
  const { busy, problem, run } = useAction(async () => {
    const answer = await call(`/jobs/${job.job_id}`, { method: "DELETE" })
    return answer.ok ? null : answer.problem
  })
  const isHeldUp = useStandstill(`${job.status} ${job.progress}`) && job.status === "running"
  return (
    <section class="panel" aria-label="Progress">
      <div class="panel-head">
        <div class="row">
          <span role="status">
            <JobBadge status={job.status} />
          </span>
          <b class="tabular">
            {count(job.progress)} of {count(job.total)}
          </b>
          <span class="soft">{isHeldUp ? heldUp(job) : paceOf(job)}</span>
        </div>
        {!isOver(job) && (
          <button type="button" class="button quiet" aria-disabled={busy} onClick={() => void run()}>
            Stop here
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
          job.cached > 0 && `${count(job.cached)} from the store, free of charge`,
          job.deduplicated > 0 && `${count(job.deduplicated)} repeated rows verified once`,
          job.original_job_id && "a second try of an earlier list",
        ]
          .filter(Boolean)
          .join("; ")}
      </p>
      <ProblemNotice problem={problem} />
    </section>
  )
}

/** Whether nothing has changed for a while. */
function useStandstill(state: string): boolean {
  const [stood, setStood] = useState("")
  useEffect(() => {
    const timer = setTimeout(() => setStood(state), STANDSTILL_MS)
    return () => clearTimeout(timer)
  }, [state])
  return stood === state
}

const heldUp = ({ progress, total }: Job) =>
  `${addresses(total - progress)} left: mail servers that are slow, or want to be asked again within two hours`

/** How long it took, or how long it may yet take. */
function paceOf({ started_at, completed_at, progress, total }: Job): string {
  if (started_at === null) return completed_at === null ? "waits for its turn" : ""
  const seconds = (new Date(completed_at ?? Date.now()).getTime() - new Date(started_at).getTime()) / 1_000
  if (completed_at !== null) return `in ${duration(Math.max(1, seconds))}`
  if (progress === 0 || seconds < 2) return ""
  return `about ${duration((seconds / progress) * (total - progress))} left`
}

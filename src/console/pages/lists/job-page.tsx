import { change } from "../../api/call.ts"
import type { Job } from "../../api/shapes.ts"
import { JobBadge } from "../../parts/badge.tsx"
import { ActionButton } from "../../parts/buttons.tsx"
import { Composition } from "../../parts/composition.tsx"
import { Notice, ProblemNotice, Skeleton } from "../../parts/notice.tsx"
import { Page } from "../../parts/page.tsx"
import { go } from "../../route.ts"
import { addresses, count, counted, duration, moment } from "../../words.ts"
import { Compare } from "./compare.tsx"
import { ListReport } from "./report.tsx"
import { Results } from "./results.tsx"
import { isOver, listName, useJob } from "./watch.ts"

/** Times that the results are loaded again while a list runs. */
const REFRESHES = 10

/** Grows with the results, a few times in all, and at the end. */
const versionOf = (job: Job): number =>
  isOver(job) ? REFRESHES + 1 : Math.floor((REFRESHES * job.progress) / Math.max(1, job.total))

/** One list: its progress, and from the first result on its report and the result of each row. */
export function JobPage({ jobId }: { jobId: string }) {
  const { job, problem } = useJob(jobId)
  const lead = job ? `${addresses(job.total)}, submitted ${moment(job.submitted_at)}` : jobId
  return (
    <Page
      title={job ? listName(job) : "List"}
      lead={
        <>
          <a href="#/lists">All lists</a> · {lead}
        </>
      }
      access="account"
    >
      <ProblemNotice problem={problem} />
      {!job && !problem && <Skeleton />}
      {job && <Progress job={job} />}
      {job && isOver(job) && <Unfinished job={job} />}
      {job && job.progress > 0 && (
        <ListReport job={job} version={versionOf(job)}>
          <Results job={job} version={versionOf(job)} />
        </ListReport>
      )}
      {job && job.progress === 0 && isOver(job) && <Results job={job} version={versionOf(job)} />}
      {job && isOver(job) && <Compare job={job} />}
    </Page>
  )
}

function Progress({ job }: { job: Job }) {
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
          <ActionButton
            label="Stop the list"
            class="button quiet"
            onAct={() => change(`/jobs/${job.job_id}`, { method: "DELETE" })}
          />
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

/** Resumes the addresses that failed all attempts, or that a stopped list did not reach, as a new list. */
function Unfinished({ job: { job_id, total, progress, failed } }: { job: Job }) {
  const stopped = total - progress
  if (stopped + failed === 0) return null
  return (
    <Notice tone="accept_all" title={`${addresses(stopped + failed)} have no final result`}>
      {failed > 0 && <p>For {count(failed)}, the mail server deferred or did not respond on every attempt.</p>}
      {stopped > 0 && <p>The list was stopped with {count(stopped)} not verified.</p>}
      <div class="row">
        <ActionButton
          label={stopped > 0 ? "Verify the rest" : "Retry them"}
          class="button quiet"
          onAct={() =>
            change<{ job_id: string }>(`/jobs/${job_id}/resume`, { method: "POST" }, (next) =>
              go(`#/lists/${next.job_id}`),
            )
          }
        />
      </div>
    </Notice>
  )
}

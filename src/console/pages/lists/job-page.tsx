import { useEffect, useState } from "preact/hooks"
import { call, change, isTemporary, type Problem, send, useGet } from "../../api/call.ts"
import type { Job, JobsPage, ListComparison } from "../../api/shapes.ts"
import { Composition } from "../../parts/bars.tsx"
import { ActionButton } from "../../parts/buttons.tsx"
import { DataTable } from "../../parts/data-table.tsx"
import { Select } from "../../parts/field.tsx"
import { Loaded, Page, Panel } from "../../parts/page.tsx"
import { AddressLink, JobBadge, Notice, ProblemNotice, Skeleton, StatusBadge, Tiles } from "../../parts/text.tsx"
import { go } from "../../route.ts"
import { addresses, count, counted, duration, moment, STATUS_WORDS } from "../../words.ts"
import { ListReport } from "./report.tsx"
import { Results } from "./results.tsx"

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
          <b class="tabular">{`${count(job.progress)} of ${count(job.total)}`}</b>
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
      <Composition counts={job.summary} expected={isOver(job) ? job.progress : job.total} />
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

/** Lists of the account that are looked through for earlier ones. */
const SEARCHED = 100

/** Compares a list with an earlier one: with the last of the same name, or with the one that is chosen. */
function Compare({ job }: { job: Job }) {
  const lists = useGet<JobsPage>(`/bulk/jobs?limit=${SEARCHED}`, { version: job.job_id })
  const [chosen, setChosen] = useState<string | null>(null)
  const earlier = lists.state === "ready" ? earlierThan(job, lists.value.jobs) : []
  const sameName = earlier.find(({ file_name }) => file_name !== null && file_name === job.file_name)
  const other = chosen ?? sameName?.job_id ?? ""
  if (earlier.length === 0) return null
  const options = [["", "Choose a list"] as const, ...earlier.map((one) => [one.job_id, optionWords(one)] as const)]
  return (
    <Panel title="Compare with an earlier list">
      <div class="row end">
        <Select label="Earlier list" value={other} options={options} onValue={setChosen} />
      </div>
      {other !== "" && <Comparison key={other} jobId={job.job_id} other={other} />}
    </Panel>
  )
}

/** Several lists may have the same file name. */
const optionWords = (job: Job): string =>
  job.file_name === null ? listName(job) : `${job.file_name}, ${moment(job.submitted_at)}`

const earlierThan = ({ job_id, submitted_at }: Job, jobs: readonly Job[]): readonly Job[] =>
  jobs.filter((one) => one.job_id !== job_id && one.submitted_at <= submitted_at && one.completed_at !== null)

function Comparison({ jobId, other }: { jobId: string; other: string }) {
  const query = new URLSearchParams({ with: other })
  const load = useGet<ListComparison>(`/bulk/${encodeURIComponent(jobId)}/compare?${query}`)
  return (
    <Loaded of={load}>
      {({ same, changed, added, gone, examples }) => (
        <div class="stack">
          <Tiles
            tiles={[
              ["Same result", count(same)],
              ["Another result", count(changed)],
              ["New addresses", count(added)],
              ["No longer in the list", count(gone)],
            ]}
          />
          {examples.length > 0 && <Examples examples={examples} all={changed + added} />}
        </div>
      )}
    </Loaded>
  )
}

type Example = ListComparison["examples"][number]

const Examples = ({ examples, all }: { examples: readonly Example[]; all: number }) => (
  <>
    <DataTable
      label="Changed and new addresses"
      rows={examples.slice(0, SHOWN)}
      rowKey={({ email }) => email}
      columns={[
        ["Address", ({ email }) => <AddressLink email={email} />, "break"],
        [
          "Then",
          ({ before, is_new }) => (is_new ? "new" : before === null ? "no result" : STATUS_WORDS[before]),
          "soft",
        ],
        ["Now", ({ now }) => (now === null ? <span class="soft">no result</span> : <StatusBadge status={now} />)],
      ]}
    />
    {all > SHOWN && (
      <p class="soft small">{`The first ${count(Math.min(SHOWN, examples.length))} of ${count(all)}.`}</p>
    )}
  </>
)

const SHOWN = 25

export const isOver = ({ status }: Job): boolean => status !== "queued" && status !== "running"

interface Watched {
  /** The last known state. */
  readonly job: Job | null
  readonly problem: Problem | null
}

const POLL_MS = 2_000

/** Follows a job by its event stream. When the stream is cut off, it polls every two seconds. */
export function useJob(jobId: string): Watched {
  const [watched, setWatched] = useState<Watched>({ job: null, problem: null })
  useEffect(() => {
    const abort = new AbortController()
    void follow(jobId, abort.signal, (update) => setWatched((before) => ({ ...before, ...update })))
    return () => abort.abort()
  }, [jobId])
  return watched
}

type OnUpdate = (update: Partial<Watched>) => void

async function follow(jobId: string, signal: AbortSignal, onUpdate: OnUpdate): Promise<void> {
  while (!signal.aborted) {
    const answer = await call<Job>(`/bulk/status/${encodeURIComponent(jobId)}`, { signal })
    if (signal.aborted) return
    onUpdate(answer.ok ? { job: answer.body, problem: null } : { problem: answer.problem })
    if (answer.ok ? isOver(answer.body) : !isTemporary(answer.problem)) return
    if (answer.ok && (await followEvents(jobId, signal, onUpdate))) return
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

/** @returns whether the job ended or the caller stopped */
async function followEvents(jobId: string, signal: AbortSignal, onUpdate: OnUpdate): Promise<boolean> {
  for await (const job of events<Job>(`/jobs/${encodeURIComponent(jobId)}/events`, signal)) {
    if (signal.aborted) return true
    onUpdate({ job })
    if (isOver(job)) return true
  }
  return signal.aborted
}

const START = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" })

/** The name of a list: of its file, or "List of Nov 26, 4:28 PM" for a list that came without one. */
export const listName = ({ file_name, submitted_at }: Pick<Job, "file_name" | "submitted_at">): string =>
  file_name ?? `List of ${START.format(new Date(submitted_at))}`

/**
 * Yields the payloads of server-sent events (WHATWG HTML §9.2). `EventSource` cannot send an API key.
 * Ends without an error when the stream is cut off.
 */
async function* events<T>(path: string, signal: AbortSignal): AsyncGenerator<T> {
  const answer = await send(path, { signal })
  if (!answer.ok || !answer.body.body) return
  const reader = answer.body.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ""
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = (rest + value).split("\n\n")
      rest = blocks.pop() ?? ""
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1]
        if (data !== undefined) yield JSON.parse(data) as T
      }
    }
  } catch {
    // Aborted or cut off: the caller then fetches the state itself.
  }
}

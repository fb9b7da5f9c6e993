import { useEffect, useState } from "preact/hooks"
import type { Job } from "../../api/shapes.ts"
import { Field, Select } from "../../parts/field.tsx"
import { Empty, ProblemNotice, Skeleton } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { useChoice } from "../../route.ts"
import { count } from "../../words.ts"
import { Download, fileNotes } from "./download.tsx"
import { FILTERS, passes } from "./filters.ts"
import { ResultTable } from "./result-table.tsx"
import { useRows } from "./rows.ts"
import { readSort, sorted, writeSort } from "./sort.ts"

/** Rows shown at first, and added by each "Show more". */
const STEP = 25
/** Rows searched at first, and added by each "Search more rows": about 10 MB. */
const SEARCH_STEP = 10_000

/** The results of a list so far, with filters. @param version changes when the list has more results */
export function Results({ job, version }: { job: Job; version: number }) {
  const { job_id: jobId } = job
  const [show, setShow] = useChoice("show")
  const [text, setText] = useChoice("contains")
  const [sortText, setSortText] = useChoice("sort")
  const sort = readSort(sortText)
  const [shown, setShown] = useState(STEP)
  const [searchLimit, setSearchLimit] = useState(SEARCH_STEP)
  const { rows, isComplete, busy, problem, more } = useRows(jobId, version)
  const filter = FILTERS.find(([value]) => value === show)?.[0] ?? "all"
  const needle = text.trim().toLowerCase()
  const matching = rows.filter((row) => passes(filter, row) && row.email.toLowerCase().includes(needle))
  // The first row of a sorted table can be anywhere in the list.
  const needsMore = !isComplete && (matching.length < shown || sort !== null)
  const isSearching = needsMore && rows.length < searchLimit && !problem
  const hasMore = isComplete ? matching.length > shown : matching.length >= shown
  useEffect(() => {
    if (isSearching && !busy) more()
  }, [isSearching, busy])
  return (
    <Panel title="Results" note={noteOf({ isComplete, loaded: rows.length, job })}>
      <div class="row end">
        <Select
          label="Show and download"
          value={filter}
          options={FILTERS}
          onValue={(chosen) => setShow(chosen === "all" ? "" : chosen)}
        />
        <Field label="Address contains" value={text} onValue={setText} />
        <Download job={job} filter={filter} />
      </div>
      <p class="soft small break">{fileNotes({ job, filter, needle: text.trim() })}</p>
      {matching.length > 0 && (
        <ResultTable
          rows={sorted(matching, sort).slice(0, shown)}
          sort={sort}
          onSort={(next) => setSortText(writeSort(next))}
        />
      )}
      {matching.length === 0 && isSearching && <Skeleton />}
      {matching.length === 0 && !isSearching && !problem && (
        <Empty title="No matching rows">
          <p>{isComplete ? "No row in this list matches." : `None of the first ${count(rows.length)} rows matches.`}</p>
        </Empty>
      )}
      <ProblemNotice problem={problem} retry={more} />
      <div class="row">
        {/* After a click the button stays, so that it holds the focus. */}
        {(hasMore || shown > STEP) && (
          <button
            type="button"
            class="button"
            aria-disabled={!hasMore}
            onClick={() => hasMore && setShown(shown + STEP)}
          >
            Show more
          </button>
        )}
        {needsMore && !isSearching && !problem && (
          <button type="button" class="button" onClick={() => setSearchLimit(rows.length + SEARCH_STEP)}>
            Search more rows
          </button>
        )}
        {matching.length > 0 && (
          <span class="soft small" role="status">
            {count(Math.min(shown, matching.length))}
            {isComplete && ` of ${count(matching.length)}`} shown
          </span>
        )}
      </div>
    </Panel>
  )
}

/** What of the list the table can show. */
function noteOf({ isComplete, loaded, job }: { isComplete: boolean; loaded: number; job: Job }): string {
  if (!isComplete) return `${count(loaded)} of ${count(job.total)} rows searched`
  return job.partial ? `so far: ${count(job.progress)} of ${count(job.total)}` : ""
}

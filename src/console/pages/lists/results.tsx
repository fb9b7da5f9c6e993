import { useEffect, useRef, useState } from "preact/hooks"
import { call, type Problem, saveFile, useAction } from "../../api/call.ts"
import type { Checks, Job, JobPage } from "../../api/shapes.ts"
import { ActionButton, Button } from "../../parts/buttons.tsx"
import { type Cell, type Column, DataTable } from "../../parts/data-table.tsx"
import { Field, Select } from "../../parts/field.tsx"
import { Panel } from "../../parts/page.tsx"
import { AddressLink, Empty, ProblemNotice, Skeleton, StatusBadge } from "../../parts/text.tsx"
import { useChoice } from "../../route.ts"
import { count, counted, plain, providerWords, replyWords } from "../../words.ts"
import {
  COLUMNS,
  type ColumnName,
  FILTERS,
  type Filter,
  nextSort,
  passes,
  readSort,
  type Sort,
  sorted,
  writeSort,
} from "./filter-and-sort.ts"

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
          <Button label="Show more" isBlocked={!hasMore} onClick={() => setShown(shown + STEP)} />
        )}
        {needsMore && !isSearching && !problem && (
          <Button label="Search more rows" onClick={() => setSearchLimit(rows.length + SEARCH_STEP)} />
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

interface ResultTableProps {
  readonly rows: readonly Checks[]
  readonly sort: Sort | null
  readonly onSort: (sort: Sort | null) => void
}

/** The results of a list. A click on a heading sorts by it, a second one the other way, a third one not at all. */
const ResultTable = ({ rows, sort, onSort }: ResultTableProps) => (
  <DataTable
    label="Results"
    rows={rows}
    rowKey={({ email }, i) => `${i} ${email}`}
    sort={sort}
    onSort={(name) => onSort(nextSort(sort, name as ColumnName))}
    columns={[
      ...COLUMNS.map(({ name, title, ...rest }): Column<Checks> => [title, CELLS[name], { ...rest, sortName: name }]),
      ["Mail server reply", (row) => <Reply of={row} />],
    ]}
  />
)

const CELLS: Readonly<Record<ColumnName, Cell<Checks>>> = {
  email: ({ email }) => <AddressLink email={email} />,
  status: ({ status }) => <StatusBadge status={status} />,
  can_send: ({ can_send }) => (can_send ? "Yes" : "No"),
  score: ({ score }) => score,
  provider: ({ provider }) => providerWords(provider),
}

const Reply = ({ of: row }: { of: Checks }) => (
  <>
    {plain(replyWords(row))} {row.smtp_response_code > 0 && <span class="soft">{row.smtp_response_code}</span>}
  </>
)

const FORMATS = [
  ["csv", "CSV"],
  ["xlsx", "Excel"],
  ["json", "JSON"],
  ["ndjson", "JSON lines"],
] as const
type Format = (typeof FORMATS)[number][0]

interface DownloadProps {
  readonly job: Job
  readonly filter: Filter
}

/** Downloads the rows as a file that is named after the uploaded file. Only "All rows" keeps duplicates. */
function Download({ job: { job_id: jobId, file_name: fileName, partial }, filter }: DownloadProps) {
  const [format, setFormat] = useState<Format>("csv")
  const save = () => {
    const query = new URLSearchParams({ filter, format, unique: String(filter !== "all") })
    const name = `${fileName?.replace(/\.[^.]*$/, "") || jobId}-${filter}${partial ? "-partial" : ""}.${format}`
    return saveFile(`/bulk/download/${encodeURIComponent(jobId)}?${query}`, name)
  }
  const label = `Download ${new Map(FORMATS).get(format)}${partial ? " so far" : ""}`
  return (
    <>
      <Select label="Format" value={format} options={FORMATS} onValue={setFormat} />
      <ActionButton label={label} busyLabel="Preparing" class="button primary" onAct={save} />
    </>
  )
}

/** What the file has that the table does not show, or the reverse. @param needle the text that the table is searched for */
function fileNotes({ job, filter, needle }: DownloadProps & { needle: string }): string {
  const { partial, deduplicated } = job
  return [
    partial && "The list still runs: the file has the results so far.",
    deduplicated > 0 &&
      (filter === "all"
        ? `The file has every row of the upload, with ${counted(deduplicated, "duplicate")}.`
        : "The file has each address once: duplicate rows are left out. “All rows” keeps them."),
    needle !== "" && `The file is not limited to “${needle}”.`,
  ]
    .filter(Boolean)
    .join(" ")
}

/** Rows per page, the API's maximum. */
const PAGE = 1_000

interface Rows {
  readonly rows: readonly Checks[]
  readonly isComplete: boolean
  readonly busy: boolean
  readonly problem: Problem | null
  readonly more: () => void
}

interface Loaded {
  readonly rows: readonly Checks[]
  /** Null after the last row. */
  readonly cursor: string | null
}

/**
 * Loads a job's results page by page on demand. @param version changes when the job has more results: the rows that are
 * shown are then loaded again, and replaced when they have arrived
 */
function useRows(jobId: string, version: number): Rows {
  const [loaded, setLoaded] = useState<Loaded>({ rows: [], cursor: "" })
  const shown = useRef(version)
  const { busy, problem, run } = useAction(async (from: Loaded, atLeast: number) => {
    let { rows, cursor } = from
    do {
      const query = new URLSearchParams({ limit: String(PAGE), ...(cursor ? { cursor } : {}) })
      const answer = await call<JobPage>(`/jobs/${encodeURIComponent(jobId)}?${query}`)
      if (!answer.ok) return answer.problem
      rows = [...rows, ...(answer.body.results ?? []).map(({ checks }) => checks)]
      cursor = answer.body.next_cursor ?? null
    } while (cursor !== null && rows.length < atLeast)
    setLoaded({ rows, cursor })
    return null
  })
  useEffect(() => {
    if (busy || shown.current === version) return
    shown.current = version
    if (loaded.cursor !== "") void run({ rows: [], cursor: "" }, loaded.rows.length)
  }, [version, busy])
  const more = () => void (loaded.cursor === null ? null : run(loaded, 0))
  return { rows: loaded.rows, isComplete: loaded.cursor === null, busy, problem, more }
}

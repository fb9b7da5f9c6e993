import { useEffect, useState } from "preact/hooks"
import type { Status } from "../../../../schema/vocabulary.ts"
import type { Checks, Job } from "../../api/shapes.ts"
import { StatusBadge } from "../../parts/badge.tsx"
import { Field, Select } from "../../parts/field.tsx"
import { Empty, ProblemNotice, Skeleton } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { useChoice, verifyLink } from "../../route.ts"
import { count, plain, SHOWN_STATUSES, STATUS_WORDS } from "../../words.ts"
import { Download } from "./download.tsx"
import { useRows } from "./rows.ts"

type Kind = Status | "" | "can_send" | "disposable" | "role"
const KINDS: readonly (readonly [Kind, string])[] = [
  ["", "All"],
  ["can_send", "Sendable"],
  ...SHOWN_STATUSES.map((status) => [status, STATUS_WORDS[status]] as const),
  ["disposable", "Disposable"],
  ["role", "Role accounts"],
]

/** Rows shown at first, and added by each "Show more". */
const STEP = 50
/** Rows searched at first, and added by each "Search more rows": about 10 MB. */
const SEARCH_STEP = 10_000

/** The rows of a finished list, with filters. */
export function Results({ job }: { job: Job }) {
  const { job_id: jobId, total } = job
  const [show, setShow] = useChoice("show")
  const [text, setText] = useChoice("contains")
  const [shown, setShown] = useState(STEP)
  const [searchLimit, setSearchLimit] = useState(SEARCH_STEP)
  const { rows, isComplete, busy, problem, more } = useRows(jobId)
  const kind = KINDS.find(([value]) => value === show)?.[0] ?? ""
  const needle = text.trim().toLowerCase()
  const matching = rows.filter((row) => isOfKind(row, kind) && row.email.toLowerCase().includes(needle))
  const needsMore = !isComplete && matching.length < shown
  const isSearching = needsMore && rows.length < searchLimit && !problem
  const hasMore = isComplete ? matching.length > shown : matching.length >= shown
  useEffect(() => {
    if (isSearching && !busy) more()
  }, [isSearching, busy])
  return (
    <Panel title="Results" note={isComplete ? "" : `${count(rows.length)} of ${count(total)} rows searched`}>
      <div class="row end">
        <Select label="Show" value={kind} options={KINDS} onValue={setShow} />
        <Field label="Address contains" value={text} onValue={setText} />
        <Download job={job} />
      </div>
      {matching.length > 0 && <Rows rows={matching.slice(0, shown)} />}
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

function isOfKind(row: Checks, kind: Kind): boolean {
  if (kind === "") return true
  if (kind === "can_send") return row.can_send
  if (kind === "disposable") return row.is_disposable
  if (kind === "role") return row.is_role_account
  return row.status === kind
}

function Rows({ rows }: { rows: readonly Checks[] }) {
  return (
    <Scroll label="Results">
      <table class="table">
        <thead>
          <tr>
            <th>Address</th>
            <th>Status</th>
            <th class="num">Score</th>
            <th>Sendable</th>
            <th>Mail server reply</th>
            <th>Operator</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={`${i} ${row.email}`}>
              <td class="break">
                <a href={verifyLink(row.email)}>{row.email}</a>
              </td>
              <td>
                <StatusBadge status={row.status} />
              </td>
              <td class="num">{row.score}</td>
              <td>{row.can_send ? "Yes" : "No"}</td>
              <td>
                {plain(row.smtp_status)}{" "}
                {row.smtp_response_code > 0 && <span class="soft">{row.smtp_response_code}</span>}
              </td>
              <td class="soft">{row.provider}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

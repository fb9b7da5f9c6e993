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
  ["can_send", "Can be sent to"],
  ...SHOWN_STATUSES.map((status) => [status, STATUS_WORDS[status]] as const),
  ["disposable", "Throw-away"],
  ["role", "Role accounts"],
]

/** Rows shown at first, and with each wish for more. */
const STEP = 50
/** Rows looked through at first, and with each wish to look further: about 10 MB. */
const REACH = 10_000

/** Every row, to be looked through. */
export function Results({ job }: { job: Job }) {
  const { job_id: jobId, total } = job
  const [show, setShow] = useChoice("show")
  const [text, setText] = useChoice("contains")
  const [shown, setShown] = useState(STEP)
  const [reach, setReach] = useState(REACH)
  const { rows, isComplete, busy, problem, more } = useRows(jobId)
  const kind = KINDS.find(([one]) => one === show)?.[0] ?? ""
  const wanted = text.trim().toLowerCase()
  const matching = rows.filter((row) => isOfKind(row, kind) && row.email.toLowerCase().includes(wanted))
  const lacking = !isComplete && matching.length < shown
  const isLooking = lacking && rows.length < reach && !problem
  const hasMore = isComplete ? matching.length > shown : matching.length >= shown
  useEffect(() => {
    if (isLooking && !busy) more()
  }, [isLooking, busy])
  return (
    <Panel title="Results" note={isComplete ? "" : `${count(rows.length)} of ${count(total)} rows looked through`}>
      <div class="row end">
        <Select label="Show" value={kind} options={KINDS} onValue={setShow} />
        <Field label="Address contains" value={text} onValue={setText} />
        <Download job={job} />
      </div>
      {matching.length > 0 && <Rows rows={matching.slice(0, shown)} />}
      {matching.length === 0 && isLooking && <Skeleton />}
      {matching.length === 0 && !isLooking && !problem && (
        <Empty title="No such rows">
          <p>
            {isComplete
              ? "Nothing in this list is like that."
              : `Among the first ${count(rows.length)} rows nothing is like that.`}
          </p>
        </Empty>
      )}
      <ProblemNotice problem={problem} retry={more} />
      <div class="row">
        {/* Once pressed it stays, and the focus on it. */}
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
        {lacking && !isLooking && !problem && (
          <button type="button" class="button" onClick={() => setReach(rows.length + REACH)}>
            Look further
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
            <th>Can be sent to</th>
            <th>Mail server said</th>
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

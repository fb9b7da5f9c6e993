import { useEffect } from "preact/hooks"
import type { Status } from "../../../../schema/vocabulary.ts"
import { useGet } from "../../api/call.ts"
import type { Breakdown, Deliverability, LedgerEntry, Recent, TranscriptLine } from "../../api/shapes.ts"
import { Mark, RatedRows, worst } from "../../parts/check-rows.tsx"
import { DataTable, Scroll } from "../../parts/data-table.tsx"
import { Fold, LoadedPanel, Panel } from "../../parts/page.tsx"
import { Ago, StatusBadge, Tip } from "../../parts/text.tsx"
import { count, duration, plain, signed } from "../../words.ts"
import { groupsOf } from "./checks.ts"
import { emptyTranscriptReason, noGradeWords } from "./sentence.ts"

export function Result({ result }: { result: Deliverability }) {
  const { checks, explanation } = result
  return (
    <div class="stack">
      <CheckList result={result} />
      <ScoreBreakdown
        breakdown={checks.score_breakdown}
        total={checks.score}
        status={checks.status}
        noGrade={noGradeWords(result)}
      />
      {explanation && (
        <Fold title="Evidence" summary={`${count(explanation.ledger.length)} facts; their points add up to the score`}>
          <Evidence entries={explanation.ledger} />
        </Fold>
      )}
      {explanation && <Transcript lines={explanation.transcript} emptyReason={emptyTranscriptReason(result)} />}
      <Fold title="JSON" summary="The response of the API">
        <Scroll label="Response as JSON" variant="code">
          <pre>{JSON.stringify(result, null, 2)}</pre>
        </Scroll>
      </Fold>
    </div>
  )
}

/** The checks in groups, by importance. Only the group that decided is open. */
const CheckList = ({ result }: { result: Deliverability }) => (
  <Panel title="Checks" note="Most important first">
    {groupsOf(result).map((group, i) => (
      <details key={group.title} class="check-group" open={i === 0}>
        <summary>
          <Mark rating={worst(group.rows)} />
          <h3>{group.title}</h3>
          <span class="soft small break">{group.summary}</span>
        </summary>
        <RatedRows rows={group.rows} />
      </details>
    ))}
  </Panel>
)

/** [part, label, maximum] */
const PARTS: readonly (readonly [keyof Breakdown, string, number])[] = [
  ["base", "Start", 50],
  ["smtp_bonus", "Mail server reply", 30],
  ["catch_all_bonus", "Catch-all classifier", 20],
  ["mx_bonus", "Mail hosts", 10],
  ["rbl_penalty", "Blocklists", 30],
  ["disposable_penalty", "Disposable", 40],
  ["role_penalty", "Role address", 10],
  ["ml_adjustment", "Model", 20],
  ["received_bonus", "Received mail", 25],
]

interface BreakdownProps {
  readonly breakdown: Breakdown
  readonly total: number
  readonly status: Status
  /** Why there is no grade; null with one. */
  readonly noGrade: string | null
}

function ScoreBreakdown({ breakdown, total, status, noGrade }: BreakdownProps) {
  const sum = PARTS.reduce((points, [part]) => points + breakdown[part], 0)
  const limit = { words: sum > 100 || sum < 0 ? "Limited to 0–100" : CAPS[status], points: total - sum, most: null }
  const rows = [
    ...PARTS.map(([part, words, most]) => ({ words, points: breakdown[part], most })),
    ...(sum === total ? [] : [limit]),
  ]
  return (
    <Fold title="Score" summary={[`${total} of 100`, ...(noGrade === null ? [] : [`no grade: ${noGrade}`])].join("; ")}>
      <DataTable
        label="Points of each part"
        class="points"
        head="unseen"
        rows={rows}
        rowKey={({ words }) => words}
        rowClass={({ points, most }) => (points === 0 && most !== null ? "soft" : "")}
        columns={[
          ["Part", ({ words }) => words, { isRowName: true, foot: "Score" }],
          ["Share of the maximum", ({ points, most }) => most !== null && <Bar points={points} most={most} />],
          ["Points", ({ points }) => signed(points), { class: "num", foot: total }],
        ]}
      />
    </Fold>
  )
}

const CAPS: Readonly<Record<Status, string>> = {
  valid: "Capped",
  accept_all: "Capped",
  unknown: "Capped",
  invalid: "Capped: invalid",
  invalid_syntax: "Capped: malformed",
}

/** A bar of the points. All parts share one scale: 50 points fill it. */
const Bar = ({ points, most }: { points: number; most: number }) => (
  <svg class={`points-bar ${points < 0 ? "tone-invalid" : "tone-valid"}`} viewBox="0 0 50 6" preserveAspectRatio="none">
    <title>{`${points} of ${most}`}</title>
    <rect class="points-track" width={most} height="6" />
    <rect class="points-fill" width={Math.abs(points)} height="6" />
  </svg>
)

const Evidence = ({ entries }: { entries: readonly LedgerEntry[] }) => (
  <DataTable
    label="Evidence in the order it was found"
    class="evidence"
    head="unseen"
    rows={entries}
    rowKey={(_, n) => n}
    columns={[
      ["Fact", ({ fact }) => FACT_WORDS[fact] ?? plain(fact), { isRowName: true }],
      [
        "Value",
        (entry) => (
          <>
            <span class="break">{valueText(entry)}</span>
            {entry.reply && <code class="reply break">{entry.reply.text}</code>}
            <Source entry={entry} />
          </>
        ),
      ],
      ["Points", ({ points }) => (points === 0 ? "" : signed(points)), "num"],
    ]}
  />
)

const FACT_WORDS: Readonly<Record<string, string>> = {
  base: "Start",
  route: "Mail route",
  exchangers: "Mail hosts",
  spf: "SPF",
  dkim: "DKIM",
  dmarc: "DMARC",
  mtaSts: "MTA-STS",
  bimi: "BIMI",
  rbl: "Blocklists",
  ehlo: "EHLO",
  tls: "TLS",
  mail: "MAIL FROM",
  rcpt: "RCPT TO",
  registration: "Domain registration",
  web: "Website",
  role_account: "Role address",
  received: "Received mail",
}
const VALUE_WORDS: Readonly<Record<string, string>> = { mx: "MX record", refuses_us: "refuses our host" }

function valueText({ fact, value }: LedgerEntry) {
  if (value === null) return fact === "base" ? "" : <span class="soft">unknown</span>
  return VALUE_WORDS[value] ?? value.replaceAll("_", " ")
}

function Source({ entry: { rule, means, node, age_seconds: age } }: { entry: LedgerEntry }) {
  const when = age === null ? null : age < 2 ? "at this request" : `${duration(age)} ago`
  const origin = [node && `node ${node}`, when].filter(Boolean).join(", ")
  if (!rule && !origin) return null
  return (
    <span class="evidence-source small soft">
      {rule && means ? <Tip word={rule}>{means}</Tip> : rule && <span>{rule.replaceAll("_", " ")}</span>}
      {origin && <span class="nowrap">{origin}</span>}
    </span>
  )
}

interface TranscriptProps {
  readonly lines: readonly TranscriptLine[]
  readonly emptyReason: string
}

function Transcript({ lines, emptyReason }: TranscriptProps) {
  if (lines.length === 0)
    return (
      <Panel title="SMTP conversation">
        <p class="soft">{emptyReason}</p>
      </Panel>
    )
  return (
    <Fold title="SMTP conversation" summary={`${count(lines.length)} lines, other addresses masked`}>
      <ol class="transcript">
        {lines.map((line, i) => (
          // The order of the lines never changes, so the index is a valid key.
          <li key={i} class={line.from}>
            <span class="speaker">{line.from}</span>
            <code class="break">{line.text}</code>
            <span class="ms">{line.ms === null ? "" : line.ms < 1 ? "<1 ms" : `${Math.round(line.ms)} ms`}</span>
          </li>
        ))}
      </ol>
    </Fold>
  )
}

const SHOWN = 10

/** The API adds a verification to the history after its response. */
const WRITTEN_AFTER_MS = 1_000

/** The account's latest verifications of an address. @param result a new one updates the list */
export function AddressHistory({ result }: { result: Deliverability }) {
  const query = new URLSearchParams({ email: result.checks.email, limit: String(SHOWN) })
  const load = useGet<{ verifications: readonly Recent[]; total: number }>(`/me/recent-verifications?${query}`)
  useEffect(() => {
    const timer = setTimeout(load.reload, WRITTEN_AFTER_MS)
    return () => clearTimeout(timer)
  }, [result])
  return (
    <LoadedPanel
      title="History of this address"
      note="Single verifications of your account, newest first. Results of lists are on the page of each list."
      of={load}
      lines={2}
    >
      {({ verifications, total }) => (
        <>
          <DataTable
            label="History of this address"
            rows={verifications}
            rowKey={({ id }) => id}
            columns={[
              ["When", ({ created_at }) => <Ago at={created_at} />],
              ["Status", ({ status }) => <StatusBadge status={status} />],
              ["Score", ({ score }) => score, "num"],
              ["Source", ({ cached }) => (cached ? "Cached result" : "New"), "soft"],
            ]}
            empty={<p class="soft">No verifications in the history yet.</p>}
          />
          {total > SHOWN && <p class="small soft">{`The latest ${SHOWN} of ${total}.`}</p>}
        </>
      )}
    </LoadedPanel>
  )
}

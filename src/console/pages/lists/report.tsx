import type { ComponentChildren } from "preact"
import { useGet } from "../../api/call.ts"
import type { Job, Report } from "../../api/shapes.ts"
import { Bars, CompositionBar } from "../../parts/bars.tsx"
import { type Column, TablePanel } from "../../parts/data-table.tsx"
import { Loaded, Panel } from "../../parts/page.tsx"
import { Empty, type TileEntry, Tiles } from "../../parts/text.tsx"
import { count, percent, providerWords, SHOWN_STATUSES, STATUS_WORDS } from "../../words.ts"

interface ListReportProps {
  readonly job: Job
  /** Changes when the list has more results. */
  readonly version: number
  /** Stands below the key figures. */
  readonly children: ComponentChildren
}

export function ListReport({ job: { job_id: jobId }, version, children }: ListReportProps) {
  const load = useGet<Report>(`/bulk/${encodeURIComponent(jobId)}/report`, { version, keepPrevious: true })
  return (
    <>
      <Loaded of={load} lines={2}>
        {(report) => (
          <>
            {report.partial && (
              <p class="soft" role="status">
                The report so far: {count(report.analyzed)} of {count(report.analyzed + report.pending)} addresses.
              </p>
            )}
            <Tiles tiles={tilesOf(report)} />
          </>
        )}
      </Loaded>
      {children}
      {load.state === "ready" && <Details report={load.value} />}
    </>
  )
}

const Details = ({ report }: { report: Report }) => (
  <>
    <Advice report={report} />
    <div class="columns">
      <Panel title="Scores" note={`average ${report.average_score}`}>
        <Bars
          label={`Number of addresses per score; the average is ${report.average_score}`}
          nameTitle="Score"
          valueTitle="Addresses"
          bars={report.score_distribution.map(({ from, to, count }) => ({
            name: `${from}–${to}`,
            label: `${from}+`,
            value: count,
            color: from >= 60 ? "valid" : from >= 40 ? "accept-all" : "invalid",
          }))}
        />
      </Panel>
      <Problems report={report} />
    </div>
    <MailProviders report={report} />
  </>
)

function tilesOf({
  health,
  composition,
  projected_bounce_rate: bounces,
  analyzed,
  recommendations,
}: Report): readonly TileEntry[] {
  const isTooSmall = recommendations.some(({ action }) => action === "too_few_to_tell")
  return [
    ["Average score", analyzed === 0 ? "–" : health.score, "of 100"],
    [
      "Sendable",
      count(composition.sendable),
      analyzed === 0 ? "" : `${percent(composition.sendable / analyzed)} of ${count(analyzed)}`,
    ],
    isTooSmall
      ? ["Expected bounces", "–", "fewer than 30 mailboxes are known to exist or not"]
      : [
          "Expected bounces",
          percent(bounces.rate),
          `${percent(bounces.low)} to ${percent(bounces.high)}, if you send to all`,
        ],
    ["Role addresses", count(composition.role_accounts)],
    ["Disposable", count(composition.disposable)],
    ["Free providers", count(composition.free_providers)],
  ]
}

function Advice({ report: { recommendations } }: { report: Report }) {
  if (recommendations.length === 0) return null
  return (
    <Panel title="Recommendations">
      <ul class="advice">
        {recommendations.map(({ action, message }) => (
          <li key={action}>{message}</li>
        ))}
      </ul>
    </Panel>
  )
}

function MailProviders({ report: { mail_operators, analyzed } }: { report: Report }) {
  if (mail_operators.length === 0) return null
  return (
    <TablePanel
      title="By mail provider"
      rows={mail_operators}
      rowKey={({ operator }) => operator}
      columns={[
        ["Mail provider", ({ operator }) => providerWords(operator)],
        ["Composition", (row) => <CompositionBar counts={row} total={row.total} />, "bar-cell"],
        ["Addresses", ({ total }) => count(total), "num"],
        ["Share", ({ total }) => percent(total / analyzed), "num"],
        ...SHOWN_STATUSES.map(
          (status): Column<Report["mail_operators"][number]> => [
            STATUS_WORDS[status],
            (row) => (row[status] === 0 ? <span class="soft">0</span> : count(row[status])),
            "num",
          ],
        ),
      ]}
    />
  )
}

const Problems = ({ report: { top_problems } }: { report: Report }) => (
  <Panel title="Top problems">
    {top_problems.length === 0 ? (
      <Empty title="None" text="No problem was found in the verified addresses." />
    ) : (
      <ul class="problems">
        {top_problems.map(({ problem, message, count: affected, share }) => (
          <li key={problem}>
            <div class="problem-head">
              <span>
                {message.slice(0, 1).toUpperCase()}
                {message.slice(1)}
              </span>
              <span class="tabular">
                <b>{count(affected)}</b> <span class="soft">{percent(share)}</span>
              </span>
            </div>
            <div class="bar thin" aria-hidden="true">
              <i class="tone-accent" style={{ flexBasis: `${share * 100}%` }} />
            </div>
          </li>
        ))}
      </ul>
    )}
  </Panel>
)

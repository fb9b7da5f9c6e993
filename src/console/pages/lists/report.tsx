import type { ComponentChildren } from "preact"
import { useGet } from "../../api/load.ts"
import type { Job, Report } from "../../api/shapes.ts"
import { Bars } from "../../parts/bars.tsx"
import { DataTable } from "../../parts/data-table.tsx"
import { CompositionBar, type TileEntry, Tiles } from "../../parts/figures.tsx"
import { Empty } from "../../parts/notice.tsx"
import { Loaded, Panel } from "../../parts/page.tsx"
import { count, percent, providerWords, SHOWN_STATUSES, STATUS_WORDS } from "../../words.ts"

interface ListReportProps {
  readonly job: Job
  /** Changes when the list has more results. */
  readonly version: number
  /** Stands below the key figures. */
  readonly children: ComponentChildren
}

/** The report on the results so far, with the results themselves between the key figures and the details. */
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

function Details({ report }: { report: Report }) {
  return (
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
}

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

/** The list grouped by the provider that runs the mail servers. */
function MailProviders({ report: { mail_operators, analyzed } }: { report: Report }) {
  if (mail_operators.length === 0) return null
  return (
    <Panel title="By mail provider">
      <DataTable
        label="By mail provider"
        rows={mail_operators}
        rowKey={({ operator }) => operator}
        columns={[
          { title: "Mail provider", cell: ({ operator }) => providerWords(operator) },
          { title: "Composition", class: "bar-cell", cell: (row) => <CompositionBar counts={row} total={row.total} /> },
          { title: "Addresses", class: "num", cell: ({ total }) => count(total) },
          { title: "Share", class: "num", cell: ({ total }) => percent(total / analyzed) },
          ...SHOWN_STATUSES.map((status) => ({
            title: STATUS_WORDS[status],
            class: "num",
            cell: (row: Report["mail_operators"][number]) =>
              row[status] === 0 ? <span class="soft">0</span> : count(row[status]),
          })),
        ]}
      />
    </Panel>
  )
}

function Problems({ report: { top_problems } }: { report: Report }) {
  return (
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
}

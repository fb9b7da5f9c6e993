import { useState } from "preact/hooks"
import type uPlot from "uplot"
import { useGet } from "../../api/call.ts"
import type { CalibrationBin, ModelStats } from "../../api/shapes.ts"
import { Tabs } from "../../parts/buttons.tsx"
import { axis, Chart, type Ink } from "../../parts/chart.tsx"
import { type Column, DataTable, TablePanel } from "../../parts/data-table.tsx"
import { Loaded, Page, Panel } from "../../parts/page.tsx"
import { Badge, Empty, type TileEntry, Tiles } from "../../parts/text.tsx"
import { count, decimal, moment, operatorName, percent, plain } from "../../words.ts"

const MODELS = [
  ["/ml/stats/v2", "All addresses"],
  ["/catchall-classifier/stats", "Accept-all domains"],
] as const

export function ModelPage() {
  const [path, setPath] = useState<(typeof MODELS)[number][0]>(MODELS[0][0])
  const load = useGet<ModelStats>(path, { asOperator: true })
  return (
    <Page
      title="Model"
      lead="The model learns from feedback to predict delivery. It changes a score by at most 20 points."
      actions={<Tabs label="Model" value={path} options={MODELS} onValue={setPath} />}
    >
      <Loaded of={load} lines={6} forOperator>
        {(stats) => (
          <>
            <Tiles tiles={tilesOf(stats)} />
            <Calibration stats={stats} />
            <div class="columns">
              <Weights weights={stats.weights} />
              <BounceByScore bands={stats.bounce_by_score} />
            </div>
            <ByOperator operators={stats.by_operator} />
            <Versions versions={stats.versions} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function tilesOf({ model, samples, metrics, facts_available: facts, training }: ModelStats): readonly TileEntry[] {
  const trained = model.trained_at ? `trained ${moment(model.trained_at)}` : "set by hand, not yet trained"
  const isTraining = training?.status === "running" || training?.status === "queued"
  return [
    ["In use", model.is_prior ? "Prior" : `Version ${model.version}`, trained],
    [
      "Training reports",
      count(facts),
      isTraining ? `training, ${training.progress}%` : samples ? `${count(samples.used)} used` : "",
    ],
    ["AUC", metrics?.auc == null ? "–" : percent(metrics.auc), "area under the ROC curve"],
    ["Calibration error", metrics ? percent(metrics.calibration_error) : "–", "mean"],
    ["Brier score", metrics ? decimal(metrics.brier, 3) : "–", "0 is perfect"],
  ]
}

/** The model's feature weights for and against an address, strongest first. */
function Weights({ weights }: { weights: ModelStats["weights"] }) {
  const sorted = weights.toSorted((a, b) => Math.abs(b.weight) - Math.abs(a.weight))
  const maxWeight = Math.max(0.001, Math.abs(sorted[0]?.weight ?? 0))
  return (
    <TablePanel
      title="Feature weights"
      note="log-odds"
      label="Weights"
      rows={sorted}
      rowKey={({ feature }) => feature}
      columns={[
        ["Feature", ({ feature }) => FEATURE_WORDS[feature] ?? plain(feature)],
        [<span class="unseen">For or against</span>, ({ weight }) => <WeightBar share={weight / maxWeight} />],
        ["Weight", ({ weight }) => decimal(weight, 2), "num"],
        ["Set by hand", ({ prior }) => decimal(prior, 2), "num soft"],
      ]}
    />
  )
}

/** @param share -1 to 1 */
function WeightBar({ share }: { share: number }) {
  const width = Math.abs(share) * 50
  return (
    <svg class={`pull ${share < 0 ? "tone-invalid" : "tone-valid"}`} viewBox="0 0 100 6" preserveAspectRatio="none">
      <title>{share < 0 ? "against" : "for"}</title>
      <rect class="points-track" width="100" height="6" />
      <rect class="points-fill" x={share < 0 ? 50 - width : 50} width={width} height="6" />
    </svg>
  )
}

const BounceByScore = ({ bands }: { bands: ModelStats["bounce_by_score"] }) => (
  <TablePanel
    title="Bounces by score"
    note="of mail that was sent"
    rows={bands.filter(({ operator }) => operator === null)}
    rowKey={({ score_from }) => score_from}
    columns={[
      ["Score", ({ score_from: from, score_to: to }) => `${from}–${to === 100 ? 100 : to - 1}`],
      ["Sent", ({ samples }) => count(samples), "num"],
      ["Bounced", ({ bounce_rate }) => percent(bounce_rate), "num"],
      ["95% interval", ({ low, high }) => `${percent(low)} to ${percent(high)}`, "num soft"],
    ]}
    empty={<p class="soft">Too few reports yet.</p>}
  />
)

type Metrics = ModelStats["by_operator"][number]["metrics"]

const shown = (metrics: Metrics, words: (metrics: NonNullable<Metrics>) => string) => (metrics ? words(metrics) : "–")

/** Columns of measurements, the same for operators and versions. */
const AUC: Column<{ readonly metrics: Metrics }> = [
  "AUC",
  ({ metrics }) => shown(metrics, ({ auc }) => (auc === null ? "–" : percent(auc))),
  "num",
]
const CALIBRATION_ERROR: Column<{ readonly metrics: Metrics }> = [
  "Calibration error",
  ({ metrics }) => shown(metrics, ({ calibration_error }) => percent(calibration_error)),
  "num",
]

function ByOperator({ operators }: { operators: ModelStats["by_operator"] }) {
  if (operators.length === 0) return null
  return (
    <TablePanel
      title="By mail operator"
      rows={operators}
      rowKey={({ operator }) => operator}
      columns={[
        ["Operator", ({ operator }) => operatorName(operator)],
        ["Samples", ({ metrics }) => shown(metrics, ({ samples }) => count(samples)), "num"],
        ["Delivered", ({ metrics }) => shown(metrics, ({ base_rate }) => percent(base_rate)), "num"],
        AUC,
        CALIBRATION_ERROR,
        ["Brier score", ({ metrics }) => shown(metrics, ({ brier }) => decimal(brier, 3)), "num"],
      ]}
    />
  )
}

function Versions({ versions }: { versions: ModelStats["versions"] }) {
  if (versions.length === 0) return null
  return (
    <TablePanel
      title="Versions"
      rows={versions}
      rowKey={({ version }) => version}
      columns={[
        [
          "Version",
          ({ version, in_use }) => (
            <>
              {version} {in_use && <Badge tone="accent">In use</Badge>}
            </>
          ),
        ],
        ["Trained", ({ trained_at }) => (trained_at ? moment(trained_at) : "–")],
        ["Samples", ({ samples }) => count(samples), "num"],
        AUC,
        CALIBRATION_ERROR,
      ]}
    />
  )
}

/** Predicted against observed delivery. Points on the diagonal mean accurate probabilities. */
export function Calibration({ stats: { calibration, facts_available } }: { stats: ModelStats }) {
  if (calibration.length === 0)
    return (
      <Panel title="Calibration">
        <Empty
          title="No measurements yet"
          text={`The current weights were set by hand. Training needs about 1,000 reports of bounces and deliveries; there are ${count(facts_available)}.`}
        />
      </Panel>
    )
  return (
    <Panel title="Calibration" note="on samples outside the training set; lines are 95% intervals">
      <Chart
        label="Delivered share of mail against the predicted share"
        height={360}
        data={[calibration.map(({ predicted }) => predicted), calibration.map(({ observed }) => observed)]}
        options={(ink) => optionsOf(calibration, ink)}
      >
        <DataTable
          label="Calibration"
          rows={calibration}
          rowKey={({ from }) => from}
          columns={[
            ["Predicted between", ({ from, to }) => `${percent(from, 0)} and ${percent(to, 0)}`],
            ["Samples", ({ samples }) => count(samples), "num"],
            ["Predicted", ({ predicted }) => percent(predicted), "num"],
            ["Delivered", ({ observed }) => percent(observed), "num"],
            ["Interval", ({ low, high }) => `${percent(low)} to ${percent(high)}`, "num"],
          ]}
        />
      </Chart>
    </Panel>
  )
}

function optionsOf(bins: readonly CalibrationBin[], ink: Ink): Omit<uPlot.Options, "width" | "height"> {
  const share = { values: (_: uPlot, splits: number[]) => splits.map((at) => percent(at, 0)), labelSize: 22 }
  const labels = { labelFont: "12px system-ui, sans-serif" }
  return {
    cursor: { show: false },
    legend: { show: false },
    padding: [12, 16, 0, 0],
    scales: { x: { time: false, range: [0, 1] }, y: { range: [0, 1] } },
    axes: [
      axis(ink, { ...share, ...labels, label: "predicted", size: 30 }),
      axis(ink, { ...share, ...labels, label: "delivered", size: 50 }),
    ],
    series: [
      {},
      { paths: () => null, points: { show: true, size: 9, width: 0, fill: ink("accent"), stroke: ink("accent") } },
    ],
    hooks: { drawAxes: [(chart) => drawBeneath(chart, bins, ink)] },
  }
}

function drawBeneath(chart: uPlot, bins: readonly CalibrationBin[], ink: Ink): void {
  const { ctx } = chart
  const x = (value: number) => chart.valToPos(value, "x", true)
  const y = (value: number) => chart.valToPos(value, "y", true)
  const line = (from: readonly [number, number], to: readonly [number, number]) => {
    ctx.beginPath()
    ctx.moveTo(x(from[0]), y(from[1]))
    ctx.lineTo(x(to[0]), y(to[1]))
    ctx.stroke()
  }
  ctx.save()
  ctx.strokeStyle = ink("text-soft")
  ctx.setLineDash([6, 6])
  line([0, 0], [1, 1])
  ctx.setLineDash([])
  ctx.strokeStyle = ink("accent")
  ctx.lineWidth = 2 * devicePixelRatio
  for (const { predicted, low, high } of bins) line([predicted, low], [predicted, high])
  ctx.restore()
}

export const FEATURE_WORDS: Readonly<Record<string, string>> = {
  verified: "Mailbox confirmed",
  verified_unsure: "Mailbox accepted, accept-all unclear",
  refused: "Mailbox refused",
  no_mail_host: "No mail host",
  unanswered: "Result unknown",
  held_up: "Deferred",
  mailbox_full: "Mailbox full",
  refuses_us: "Probe refused",
  unreachable: "Mail server unreachable",
  google: "Google",
  microsoft: "Microsoft",
  other_operator: "Another known operator",
  accept_all_microsoft: "Accept-all at Microsoft",
  accept_all_google: "Accept-all at Google",
  realism: "Realistic name",
  accept_all_realism: "Realistic name at an accept-all domain",
  role_account: "Role address",
  digits: "Digits in the name",
  long_name: "Long name",
  domain_format: "Usual format of the domain",
  disposable: "Disposable address",
  relay: "Forwarding alias",
  free_provider: "Free provider",
  subaddress: "Subaddress",
  institution: "Government or education",
  young_domain: "Young domain",
  parked: "Parked domain",
  no_web_site: "No website",
  spf: "SPF record",
  dmarc: "DMARC record",
  gravatar: "Gravatar",
  neighbours_missing: "Neighbors missing",
  domain_history: "Earlier mail to the domain",
  address_arrived: "Earlier mail arrived",
  address_bounced: "Earlier mail bounced",
}

import type uPlot from "uplot"
import type { CalibrationBin, ModelStats } from "../../api/shapes.ts"
import { axis, Chart, type Ink } from "../../parts/chart.tsx"
import { DataTable } from "../../parts/data-table.tsx"
import { Empty } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { count, percent } from "../../words.ts"

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
            { title: "Predicted between", cell: ({ from, to }) => `${percent(from, 0)} and ${percent(to, 0)}` },
            { title: "Samples", class: "num", cell: ({ samples }) => count(samples) },
            { title: "Predicted", class: "num", cell: ({ predicted }) => percent(predicted) },
            { title: "Delivered", class: "num", cell: ({ observed }) => percent(observed) },
            { title: "Interval", class: "num", cell: ({ low, high }) => `${percent(low)} to ${percent(high)}` },
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

/** Draws the diagonal and the interval of each point. */
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

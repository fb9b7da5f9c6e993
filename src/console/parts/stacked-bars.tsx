import type uPlot from "uplot"
import { count } from "../words.ts"
import { axis, Chart } from "./chart.tsx"
import { DataTable } from "./data-table.tsx"

/** One part of each bar. */
export interface Layer {
  readonly name: string
  /** Name of a CSS custom property. */
  readonly color: string
}

interface StackedBarsProps {
  readonly label: string
  readonly nameTitle: string
  readonly layers: readonly Layer[]
  /** Each bar shows its name, slanted where they have no room side by side: for names other than days. */
  readonly hasEachName?: boolean
  /** A bar each, with its amount of each layer. */
  readonly bars: readonly Bar[]
}

interface Bar {
  readonly name: string
  readonly amounts: readonly number[]
}

/** Pixels of the axis of values, of a usual letter of a name, and between two names. */
const VALUES_WIDTH = 56
const LETTER_WIDTH = 7
const NAME_GAP = 12

/** A bar chart of amounts that add up, with a legend, and the same as a table. */
export function StackedBars({ label, nameTitle, layers, hasEachName = false, bars }: StackedBarsProps) {
  const totals = bars.map(({ amounts }) => amounts.reduce((sum, amount) => sum + amount, 0))
  const highest = Math.max(1, ...totals)
  // Each series reaches up to the end of its layer. The highest is drawn first, and the lower ones cover it.
  const tops = layers.map((_, n) => bars.map(({ amounts }) => amounts.slice(0, n + 1).reduce((a, b) => a + b, 0)))
  const nameWidth = Math.max(...bars.map(({ name }) => name.length)) * LETTER_WIDTH + NAME_GAP
  const isSlanted = ({ width }: uPlot) => hasEachName && bars.length * nameWidth > width - VALUES_WIDTH
  const data = [bars.map((_, i) => i), ...tops.toReversed()] as uPlot.AlignedData
  return (
    <>
      <ul class="legend">
        {layers.map(({ name, color }, n) => (
          <li key={name} class={`tone-${color.replaceAll("-", "_")}`}>
            <span class="dot" aria-hidden="true" />
            {name} <b>{count(bars.reduce((sum, { amounts }) => sum + (amounts[n] ?? 0), 0))}</b>
          </li>
        ))}
      </ul>
      <Chart
        label={label}
        data={data}
        options={(ink, plot) => ({
          cursor: { show: false },
          legend: { show: false },
          padding: [12, hasEachName ? 24 : 8, 0, 0],
          scales: { x: { time: false, range: [-0.6, bars.length - 0.4] }, y: { range: [0, highest * 1.08] } },
          axes: [
            axis(ink, {
              grid: { show: false },
              size: (plot) => (isSlanted(plot) ? 72 : 28),
              rotate: (plot) => (isSlanted(plot) ? -40 : 0),
              space: hasEachName ? 16 : 64,
              incrs: [1, 2, 5, 10, 20, 50],
              values: (_, splits) => splits.map((at) => (Number.isInteger(at) ? (bars[at]?.name ?? "") : "")),
            }),
            axis(ink, {
              size: VALUES_WIDTH,
              incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6, 1e7],
            }),
          ],
          series: [
            {},
            ...layers.toReversed().map(({ color }) => ({
              points: { show: false },
              width: 0,
              fill: ink(color),
              paths: plot.paths.bars!({ size: [0.72, 64] }),
            })),
          ],
        })}
      >
        <DataTable
          label={label}
          rows={bars}
          rowKey={({ name }) => name}
          columns={[
            { title: nameTitle, cell: ({ name }) => name },
            ...layers.map((layer, at) => ({
              title: layer.name,
              class: "num",
              cell: ({ amounts }: Bar) => count(amounts[at] ?? 0),
            })),
            { title: "All", class: "num", cell: (_, n) => count(totals[n] ?? 0) },
          ]}
        />
      </Chart>
    </>
  )
}

import type uPlot from "uplot"
import { count } from "../words.ts"
import { axis, Chart, type Ink } from "./chart.tsx"
import { DataTable } from "./data-table.tsx"

export interface BarEntry {
  readonly name: string
  /** A shorter name below the axis. */
  readonly label?: string
  readonly value: number
  /** Name of a CSS custom property; the accent color by default. */
  readonly color?: string
}

interface BarsProps {
  readonly label: string
  readonly nameTitle: string
  readonly valueTitle: string
  readonly bars: readonly BarEntry[]
  /**
   * Pixels per name of a sequence below the axis, such as days: names that do not fit are omitted. Without it, the bars
   * are categories, and each has its name.
   */
  readonly labelSpace?: number
}

/** A bar chart of counts. */
export function Bars({ label, nameTitle, valueTitle, bars, labelSpace }: BarsProps) {
  const labels = bars.map(({ name, label = name }) => label)
  const highest = Math.max(1, ...bars.map(({ value }) => value))
  return (
    <Chart
      label={label}
      data={[bars.map((_, i) => i), bars.map(({ value }) => value)]}
      options={(ink, plot) => ({
        cursor: { show: false },
        legend: { show: false },
        padding: [12, 8, 0, 0],
        scales: { x: { time: false, range: [-0.6, bars.length - 0.4] }, y: { range: [0, highest * 1.08] } },
        axes: [
          axis(ink, {
            grid: { show: false },
            ...(labelSpace === undefined
              ? everyName(labels)
              : { size: LEVEL, space: labelSpace, incrs: [1, 2, 5, 10] }),
            values: (_, splits) => splits.map((at) => (Number.isInteger(at) ? (labels[at] ?? "") : "")),
          }),
          axis(ink, {
            size: 56,
            incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6, 1e7],
          }),
        ],
        series: [
          {},
          {
            points: { show: false },
            width: 0,
            fill: ink("accent"),
            paths: plot.paths.bars!({
              size: [0.72, 64],
              radius: 0.12,
              disp: { fill: barColors(bars, ink), stroke: barColors(bars, ink) },
            }),
          },
        ],
      })}
    >
      <DataTable
        label={label}
        rows={bars}
        rowKey={({ name }) => name}
        columns={[
          { title: nameTitle, cell: ({ name }) => name },
          { title: valueTitle, class: "num", cell: ({ value }) => count(value) },
        ]}
      />
    </Chart>
  )
}

/** Pixels for names beside each other. */
const LEVEL = 28
/** Degrees. */
const SLANT = 35
/** Pixels, at the font of the axis. */
const LETTER = 7

/** The axis of categories: their names slant where they do not fit beside each other. */
function everyName(labels: readonly string[]): uPlot.Axis {
  const width = LETTER * Math.max(...labels.map(({ length }) => length))
  let isSlanted = false
  return {
    space: 1,
    incrs: [1],
    rotate: (_chart, _values, _axis, room) => {
      isSlanted = room < width + LETTER
      return isSlanted ? SLANT : 0
    },
    // uPlot calls it after `rotate`.
    size: () => (isSlanted ? LEVEL + width * Math.sin((SLANT * Math.PI) / 180) : LEVEL),
  }
}

function barColors(bars: readonly BarEntry[], ink: Ink) {
  return { unit: 3 as const, values: () => bars.map(({ color = "accent" }) => ink(color)) }
}

import type uPlot from "uplot"
import type { Status } from "../../../schema/vocabulary.ts"
import type { StatusCounts } from "../api/shapes.ts"
import { count, percent, SHOWN_STATUSES, STATUS_WORDS } from "../words.ts"
import { axis, Chart, type Ink } from "./chart.tsx"
import { type Column, DataTable } from "./data-table.tsx"

interface BarEntry {
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

export function Bars({ label, nameTitle, valueTitle, bars, labelSpace }: BarsProps) {
  const labels = bars.map(({ name, label = name }) => label)
  const highest = Math.max(1, ...bars.map(({ value }) => value))
  return (
    <Chart
      label={label}
      data={[bars.map((_, i) => i), bars.map(({ value }) => value)]}
      options={(ink, plot) => ({
        ...frame(bars.length, highest),
        padding: [12, 8, 0, 0],
        axes: [
          axis(ink, {
            grid: { show: false },
            ...(labelSpace === undefined
              ? everyName(labels)
              : { size: LEVEL, space: labelSpace, incrs: [1, 2, 5, 10] }),
            values: namesAt(labels),
          }),
          valuesAxis(ink),
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
          [nameTitle, ({ name }) => name],
          [valueTitle, ({ value }) => count(value), "num"],
        ]}
      />
    </Chart>
  )
}

/** What all charts of bars share: no cursor, and space around the bars. */
const frame = (amount: number, highest: number) => ({
  cursor: { show: false },
  legend: { show: false },
  scales: {
    x: { time: false, range: [-0.6, amount - 0.4] },
    y: { range: [0, highest * 1.08] },
  } satisfies uPlot.Scales,
})

const valuesAxis = (ink: Ink): uPlot.Axis =>
  axis(ink, {
    size: VALUES_WIDTH,
    incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6, 1e7],
  })

/** Names below the axis, which has its ticks at whole numbers. */
const namesAt = (names: readonly string[]) => (_: uPlot, splits: number[]) =>
  splits.map((at) => (Number.isInteger(at) ? (names[at] ?? "") : ""))

/** Pixels for names beside each other. */
const LEVEL = 28
const SLANT = 35
/** Pixels, at the font of the axis. */
const CHARACTER_WIDTH = 7

/** The axis of categories: their names slant where they do not fit beside each other. */
function everyName(labels: readonly string[]): uPlot.Axis {
  const width = CHARACTER_WIDTH * Math.max(...labels.map(({ length }) => length))
  let isSlanted = false
  return {
    space: 1,
    incrs: [1],
    rotate: (_chart, _values, _axis, space) => {
      isSlanted = space < width + CHARACTER_WIDTH
      return isSlanted ? SLANT : 0
    },
    // uPlot calls it after `rotate`.
    size: () => (isSlanted ? LEVEL + width * Math.sin((SLANT * Math.PI) / 180) : LEVEL),
  }
}

const barColors = (bars: readonly BarEntry[], ink: Ink) => ({
  unit: 3 as const,
  values: () => bars.map(({ color = "accent" }) => ink(color)),
})

export interface Layer {
  readonly name: string
  /** Name of a CSS custom property. */
  readonly color: string
}

interface StackedBarsProps {
  readonly label: string
  readonly nameTitle: string
  readonly layers: readonly Layer[]
  /** Each bar shows its name, slanted where they do not fit side by side: for names other than days. */
  readonly hasEachName?: boolean
  readonly bars: readonly Bar[]
}

interface Bar {
  readonly name: string
  readonly amounts: readonly number[]
}

/** Pixels of the axis of values, and between two names. */
const VALUES_WIDTH = 56
const NAME_GAP = 12

/** A bar chart of amounts that add up, with a legend, and the same as a table. */
export function StackedBars({ label, nameTitle, layers, hasEachName = false, bars }: StackedBarsProps) {
  const totals = bars.map(({ amounts }) => amounts.reduce((sum, amount) => sum + amount, 0))
  const highest = Math.max(1, ...totals)
  // Each series reaches up to the end of its layer. The highest is drawn first, and the lower ones cover it.
  const tops = layers.map((_, n) => bars.map(({ amounts }) => amounts.slice(0, n + 1).reduce((a, b) => a + b, 0)))
  const nameWidth = Math.max(...bars.map(({ name }) => name.length)) * CHARACTER_WIDTH + NAME_GAP
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
          ...frame(bars.length, highest),
          padding: [12, hasEachName ? 24 : 8, 0, 0],
          axes: [
            axis(ink, {
              grid: { show: false },
              size: (plot) => (isSlanted(plot) ? 72 : 28),
              rotate: (plot) => (isSlanted(plot) ? -40 : 0),
              space: hasEachName ? 16 : 64,
              incrs: [1, 2, 5, 10, 20, 50],
              values: namesAt(bars.map(({ name }) => name)),
            }),
            valuesAxis(ink),
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
            [nameTitle, ({ name }) => name],
            ...layers.map(({ name }, at): Column<Bar> => [name, ({ amounts }) => count(amounts[at] ?? 0), "num"]),
            ["All", (_, n) => count(totals[n] ?? 0), "num"],
          ]}
        />
      </Chart>
    </>
  )
}

/** [status, number of addresses] for every status. */
const amountsOf = (counts: StatusCounts): (readonly [Status, number])[] =>
  SHOWN_STATUSES.map((status) => [status, counts[status] ?? 0])

const Segments = ({ counts, total }: { counts: StatusCounts; total: number }) =>
  amountsOf(counts)
    .filter(([, amount]) => amount > 0)
    .map(([status, amount]) => (
      <i key={status} class={`tone-${status}`} style={{ flexBasis: `${(amount / total) * 100}%` }} />
    ))

/**
 * A bar of the statuses of a list. The shares in the legend are of the results so far.
 * @param expected the total of an unfinished list, for the length of the bar
 */
export function Composition({ counts, expected }: { counts: StatusCounts; expected?: number }) {
  const amounts = amountsOf(counts)
  const total = amounts.reduce((sum, [, amount]) => sum + amount, 0)
  return (
    <div class="stack">
      <div class="bar" aria-hidden="true">
        <Segments counts={counts} total={expected ?? total} />
      </div>
      <ul class="legend">
        {amounts.map(([status, amount]) => (
          <li key={status} class={`tone-${status}`}>
            <span class="dot" aria-hidden="true" />
            {STATUS_WORDS[status]}
            <b>{count(amount)}</b>
            {total > 0 && <span class="soft">{percent(amount / total)}</span>}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The bar without a legend, for table rows. */
export function CompositionBar({ counts, total }: { counts: StatusCounts; total: number }) {
  const words = amountsOf(counts)
    .filter(([, amount]) => amount > 0)
    .map(([status, amount]) => `${STATUS_WORDS[status]} ${count(amount)}`)
    .join(", ")
  return (
    <div class="bar thin" role="img" aria-label={words || "no results yet"} title={words}>
      <Segments counts={counts} total={total} />
    </div>
  )
}

import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import type uPlot from "uplot"
import { THEME_CHANGED } from "../theme.tsx"

/** Resolves a color of the current theme for a canvas. */
export type Ink = (name: string) => string

export interface ChartProps {
  readonly label: string
  readonly height?: number
  readonly data: uPlot.AlignedData
  readonly options: (ink: Ink, plot: typeof uPlot) => Omit<uPlot.Options, "width" | "height">
  readonly children: ComponentChildren
}

/** Renders a chart with uPlot, which is loaded with the first chart. Redraws when the width or the theme changes. */
export function Chart({ label, height = 220, data, options, children }: ChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const given = useRef({ data, options })
  given.current = { data, options }
  const [hasFailed, setFailed] = useState(false)
  const signature = JSON.stringify(data)
  useEffect(() => {
    const element = box.current!
    let chart: uPlot | null = null
    let isUnmounted = false
    async function paint() {
      const { default: plot } = await import("uplot")
      if (isUnmounted) return
      chart?.destroy()
      const { data, options } = given.current
      chart = new plot({ ...options(inkOf(element), plot), width: element.clientWidth, height }, data, element)
    }
    const resized = new ResizeObserver(() => chart?.setSize({ width: element.clientWidth, height }))
    // After a release, the script of an older page no longer exists.
    const repaint = () => paint().catch(() => setFailed(true))
    const dark = matchMedia("(prefers-color-scheme: dark)")
    void repaint().then(() => resized.observe(element))
    addEventListener(THEME_CHANGED, repaint)
    dark.addEventListener("change", repaint)
    return () => {
      isUnmounted = true
      resized.disconnect()
      removeEventListener(THEME_CHANGED, repaint)
      dark.removeEventListener("change", repaint)
      chart?.destroy()
    }
  }, [signature, height])
  if (hasFailed) return <>{children}</>
  return (
    <figure class="stack">
      <div class="chart" role="img" aria-label={label} ref={box} />
      <details>
        <summary class="small">As a table</summary>
        {children}
      </details>
    </figure>
  )
}

/** Custom properties hold the colors of both themes. Only a computed style resolves the current one. */
const inkOf =
  (element: HTMLElement): Ink =>
  (name) => {
    element.style.color = `var(--${name})`
    const { color } = getComputedStyle(element)
    element.style.color = ""
    return color
  }

export function axis(ink: Ink, rest: uPlot.Axis = {}): uPlot.Axis {
  const line = { stroke: ink("line"), width: 1 }
  return {
    stroke: ink("text-soft"),
    font: "12px system-ui, sans-serif",
    grid: line,
    ticks: { ...line, size: 4 },
    ...rest,
  }
}

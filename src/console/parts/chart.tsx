import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import type uPlot from "uplot"
import { THEME_CHANGED } from "../theme.tsx"

/** Colours of the theme in force, as a canvas wants them. */
export type Ink = (name: string) => string

export interface ChartProps {
  /** What there is to see, for those who do not see it. */
  readonly label: string
  readonly height?: number
  readonly data: uPlot.AlignedData
  readonly options: (ink: Ink, plot: typeof uPlot) => Omit<uPlot.Options, "width" | "height">
  /** The same as a table. */
  readonly children: ComponentChildren
}

/** A chart by uPlot, which is fetched when the first one is shown; painted anew when width or colours change. */
export function Chart({ label, height = 220, data, options, children }: ChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const given = useRef({ data, options })
  given.current = { data, options }
  const [isLost, setLost] = useState(false)
  const signature = JSON.stringify(data)
  useEffect(() => {
    const element = box.current!
    let chart: uPlot | null = null
    let gone = false
    async function paint() {
      const { default: plot } = await import("uplot")
      if (gone) return
      chart?.destroy()
      const { data, options } = given.current
      chart = new plot({ ...options(inkOf(element), plot), width: element.clientWidth, height }, data, element)
    }
    const resized = new ResizeObserver(() => chart?.setSize({ width: element.clientWidth, height }))
    // After a release the file of an older page is gone.
    const repaint = () => paint().catch(() => setLost(true))
    const dark = matchMedia("(prefers-color-scheme: dark)")
    void repaint().then(() => resized.observe(element))
    addEventListener(THEME_CHANGED, repaint)
    dark.addEventListener("change", repaint)
    return () => {
      gone = true
      resized.disconnect()
      removeEventListener(THEME_CHANGED, repaint)
      dark.removeEventListener("change", repaint)
      chart?.destroy()
    }
  }, [signature, height])
  if (isLost) return <>{children}</>
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

/** Custom properties hold both themes' colours; only a used colour is resolved. */
function inkOf(element: HTMLElement): Ink {
  return (name) => {
    element.style.color = `var(--${name})`
    const { color } = getComputedStyle(element)
    element.style.color = ""
    return color
  }
}

/** Axes as all our charts have them. */
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

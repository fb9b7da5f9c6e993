import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"

interface ScrollProps {
  readonly label: string
  readonly variant?: "table-box" | "code"
  readonly children: ComponentChildren
}

/** A box that scrolls content wider than the window. A box that scrolls is focusable by keyboard. */
export function Scroll({ label, variant = "table-box", children }: ScrollProps) {
  const box = useRef<HTMLElement>(null)
  useLayoutEffect(() => measure(box.current!))
  useEffect(() => {
    const element = box.current!
    const observer = new ResizeObserver(() => measure(element))
    observer.observe(element)
    for (const child of element.children) observer.observe(child)
    return () => observer.disconnect()
  }, [])
  return (
    <section class={variant} aria-label={label} ref={box}>
      {children}
    </section>
  )
}

function measure(element: HTMLElement) {
  const scrolls = element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight
  if (scrolls) element.tabIndex = 0
  else element.removeAttribute("tabindex")
}

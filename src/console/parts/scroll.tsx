import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"

interface ScrollProps {
  readonly label: string
  /** How it looks. */
  readonly look?: "table-box" | "code"
  readonly children: ComponentChildren
}

/** What is wider than a phone scrolls by itself; where it has to, it can be reached and moved by keyboard. */
export function Scroll({ label, look = "table-box", children }: ScrollProps) {
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
    <section class={look} aria-label={label} ref={box}>
      {children}
    </section>
  )
}

function measure(element: HTMLElement) {
  const scrolls = element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight
  if (scrolls) element.tabIndex = 0
  else element.removeAttribute("tabindex")
}

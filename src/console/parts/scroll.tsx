import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"

/** What is wider than a phone scrolls by itself; where it has to, it can be reached and moved by keyboard. */
export function Scroll({ label, children }: { label: string; children: ComponentChildren }) {
  const box = useRef<HTMLElement>(null)
  useEffect(() => {
    const element = box.current!
    const measure = new ResizeObserver(() => {
      const scrolls = element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight
      if (scrolls) element.tabIndex = 0
      else element.removeAttribute("tabindex")
    })
    measure.observe(element)
    for (const child of element.children) measure.observe(child)
    return () => measure.disconnect()
  }, [])
  return (
    <section class="table-box" aria-label={label} ref={box}>
      {children}
    </section>
  )
}

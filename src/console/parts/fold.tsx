import type { ComponentChildren } from "preact"

interface FoldProps {
  readonly title: string
  /** What is inside, in one line. */
  readonly summary: ComponentChildren
  readonly open?: boolean
  readonly children: ComponentChildren
}

/** A panel that is folded to its title and one line. */
export function Fold({ title, summary, open = false, children }: FoldProps) {
  return (
    <details class="panel fold" open={open}>
      <summary>
        <h2>{title}</h2>
        <span class="soft small break">{summary}</span>
      </summary>
      {children}
    </details>
  )
}

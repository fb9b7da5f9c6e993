import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"

interface PageProps {
  readonly title: string
  readonly lead?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** A page whose heading takes the focus on the first render, so that a screen reader announces it. */
export function Page({ title, lead, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Mailverdict`
    if (document.activeElement === document.body || document.activeElement?.closest(".side")) heading.current?.focus()
  }, [title])
  return (
    <div class="page">
      <header class="page-head">
        <div>
          <h1 tabIndex={-1} ref={heading}>
            {title}
          </h1>
          {lead && <p class="soft">{lead}</p>}
        </div>
        {actions && <div class="row">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

interface PanelProps {
  readonly title: string
  /** For a link to the panel. */
  readonly id?: string
  readonly note?: ComponentChildren
  readonly children: ComponentChildren
}

export function Panel({ title, id, note, children }: PanelProps) {
  return (
    <section class="panel" id={id}>
      <div class="panel-head">
        <h2>{title}</h2>
        {note && <p class="soft small">{note}</p>}
      </div>
      {children}
    </section>
  )
}

import { useState } from "preact/hooks"

/** The current position in a long table. */
export interface Pages {
  /** Cursor of the current page; empty for the first. */
  readonly cursor: string
  readonly number: number
  readonly older: (next: string) => void
  readonly newer: () => void
  readonly restart: () => void
}

/** Stores the cursor of each visited page, because cursors only lead forward. */
export function usePages(): Pages {
  const [cursors, setCursors] = useState<readonly string[]>([""])
  return {
    cursor: cursors.at(-1) ?? "",
    number: cursors.length,
    older: (next) => setCursors([...cursors, next]),
    newer: () => setCursors(cursors.slice(0, -1)),
    restart: () => setCursors([""]),
  }
}

interface PagerProps {
  readonly pages: Pages
  /** Cursor of the next page; null on the last page. */
  readonly next: string | null
  /** Whether another page is loading. */
  readonly busy: boolean
}

/** Buttons for the pages of a long table. They stay in the page, so that they hold the focus. */
export function Pager({ pages, next, busy }: PagerProps) {
  if (pages.number === 1 && next === null) return null
  return (
    <div class="row">
      <PagerButton words="Newer" turn={pages.number > 1 && !busy ? pages.newer : null} />
      <PagerButton words="Older" turn={next !== null && !busy ? () => pages.older(next) : null} />
      <span role="status" class="soft small">
        Page {pages.number}
      </span>
    </div>
  )
}

function PagerButton({ words, turn }: { words: string; turn: (() => void) | null }) {
  return (
    <button type="button" class="button quiet" aria-disabled={turn === null} onClick={() => turn?.()}>
      {words}
    </button>
  )
}

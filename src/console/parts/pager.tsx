import { useState } from "preact/hooks"

/** Where in a long table one is. */
export interface Pages {
  /** The cursor of the page shown; empty for the first. */
  readonly cursor: string
  readonly number: number
  readonly older: (next: string) => void
  readonly newer: () => void
  readonly restart: () => void
}

/** Remembers where each page looked at so far begins, as cursors lead one way only. */
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
  /** Where the next page begins; null on the last. */
  readonly next: string | null
  /** Another page is on its way. */
  readonly busy: boolean
}

/** Leafs through a long table. Its buttons stay where they are, and so does the focus on them. */
export function Pager({ pages, next, busy }: PagerProps) {
  if (pages.number === 1 && next === null) return null
  return (
    <div class="row">
      <Turn words="Newer" turn={pages.number > 1 && !busy ? pages.newer : null} />
      <Turn words="Older" turn={next !== null && !busy ? () => pages.older(next) : null} />
      <span role="status" class="soft small">
        Page {pages.number}
      </span>
    </div>
  )
}

function Turn({ words, turn }: { words: string; turn: (() => void) | null }) {
  return (
    <button type="button" class="button quiet" aria-disabled={turn === null} onClick={() => turn?.()}>
      {words}
    </button>
  )
}

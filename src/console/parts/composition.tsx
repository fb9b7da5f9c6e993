import type { StatusCounts } from "../api/shapes.ts"
import { count, percent, SHOWN_STATUSES, STATUS_WORDS } from "../words.ts"

/** What a list is made of, as one bar. */
export function Composition({ counts, room }: { counts: StatusCounts; room?: number }) {
  const total = room ?? SHOWN_STATUSES.reduce((sum, status) => sum + counts[status], 0)
  const share = (status: (typeof SHOWN_STATUSES)[number]) => (total === 0 ? 0 : counts[status] / total)
  const present = SHOWN_STATUSES.filter((status) => counts[status] > 0)
  return (
    <div class="stack">
      <div class="bar" aria-hidden="true">
        {present.map((status) => (
          <i key={status} class={`tone-${status}`} style={{ flexBasis: `${share(status) * 100}%` }} />
        ))}
      </div>
      <ul class="legend">
        {SHOWN_STATUSES.map((status) => (
          <li key={status} class={`tone-${status}`}>
            <span class="dot" aria-hidden="true" />
            {STATUS_WORDS[status]}
            <b>{count(counts[status])}</b>
            {total > 0 && <span class="soft">{percent(share(status))}</span>}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The same without words, for the rows of a table that say them elsewhere. */
export function CompositionBar({ counts, total }: { counts: StatusCounts; total: number }) {
  const words = SHOWN_STATUSES.filter((status) => counts[status] > 0).map(
    (status) => `${STATUS_WORDS[status]} ${count(counts[status])}`,
  )
  return (
    <div class="bar thin" role="img" aria-label={words.join(", ")} title={words.join(", ")}>
      {SHOWN_STATUSES.filter((status) => counts[status] > 0).map((status) => (
        <i key={status} class={`tone-${status}`} style={{ flexBasis: `${(counts[status] / total) * 100}%` }} />
      ))}
    </div>
  )
}

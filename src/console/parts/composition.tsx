import type { Status } from "../../../schema/vocabulary.ts"
import type { StatusCounts } from "../api/shapes.ts"
import { count, percent, SHOWN_STATUSES, STATUS_WORDS } from "../words.ts"

/** [status, number of addresses] for every status. */
function amountsOf(counts: StatusCounts): (readonly [Status, number])[] {
  return SHOWN_STATUSES.map((status) => [status, counts[status] ?? 0])
}

function Segments({ counts, total }: { counts: StatusCounts; total: number }) {
  return amountsOf(counts)
    .filter(([, amount]) => amount > 0)
    .map(([status, amount]) => (
      <i key={status} class={`tone-${status}`} style={{ flexBasis: `${(amount / total) * 100}%` }} />
    ))
}

/**
 * A bar of the statuses of a list. The shares in the legend are of the results so far.
 * @param room the expected total of an unfinished list, for the length of the bar
 */
export function Composition({ counts, room }: { counts: StatusCounts; room?: number }) {
  const amounts = amountsOf(counts)
  const total = amounts.reduce((sum, [, amount]) => sum + amount, 0)
  return (
    <div class="stack">
      <div class="bar" aria-hidden="true">
        <Segments counts={counts} total={room ?? total} />
      </div>
      <ul class="legend">
        {amounts.map(([status, amount]) => (
          <li key={status} class={`tone-${status}`}>
            <span class="dot" aria-hidden="true" />
            {STATUS_WORDS[status]}
            <b>{count(amount)}</b>
            {total > 0 && <span class="soft">{percent(amount / total)}</span>}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The bar without a legend, for table rows. */
export function CompositionBar({ counts, total }: { counts: StatusCounts; total: number }) {
  const words = amountsOf(counts)
    .filter(([, amount]) => amount > 0)
    .map(([status, amount]) => `${STATUS_WORDS[status]} ${count(amount)}`)
    .join(", ")
  return (
    <div class="bar thin" role="img" aria-label={words || "no results yet"} title={words}>
      <Segments counts={counts} total={total} />
    </div>
  )
}

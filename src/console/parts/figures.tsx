import type { ComponentChildren } from "preact"
import type { Status } from "../../../schema/vocabulary.ts"
import type { StatusCounts } from "../api/shapes.ts"
import { count, percent, SHOWN_STATUSES, STATUS_WORDS } from "../words.ts"

export type TileEntry = readonly [name: string, value: ComponentChildren, note?: ComponentChildren]

/** A row of key figures. */
export function Tiles({ tiles }: { tiles: readonly TileEntry[] }) {
  return (
    <dl class="tiles">
      {tiles.map(([name, value, note]) => (
        <div class="tile" key={name}>
          <dt>{name}</dt>
          <dd>
            {value}
            {note && <small>{note}</small>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Facts with their names. Absent ones are left out. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, words: ComponentChildren] | false)[] }) {
  return (
    <dl class="facts">
      {facts
        .filter((fact) => fact !== false)
        .map(([name, words]) => [
          <dt key={name}>{name}</dt>,
          <dd key={`${name}-words`} class="break">
            {words}
          </dd>,
        ])}
    </dl>
  )
}

const RADIUS = 42
const LENGTH = 2 * Math.PI * RADIUS

interface RingProps {
  /** The filled part, 0 to 1. */
  readonly share: number
  /** The text in the ring, and the smaller text below it. */
  readonly value: string
  readonly unit: string
  readonly caption: string
  /** The whole in words, for a screen reader. */
  readonly label: string
}

/** A number as a ring. */
export function Ring({ share, value, unit, caption, label }: RingProps) {
  return (
    <figure class="score">
      <svg viewBox="0 0 100 100" role="img" aria-label={label}>
        <circle cx="50" cy="50" r={RADIUS} class="score-track" />
        {share > 0 && (
          <circle cx="50" cy="50" r={RADIUS} class="score-arc" stroke-dasharray={`${share * LENGTH} ${LENGTH}`} />
        )}
        <text x="50" y="54" class="score-number">
          {value}
        </text>
        <text x="50" y="71" class="score-of">
          {unit}
        </text>
      </svg>
      <figcaption>{caption}</figcaption>
    </figure>
  )
}

/** A score of 0 to 100 with its grade. */
export function Score({ score, grade }: { score: number; grade: string }) {
  return (
    <Ring
      share={score / 100}
      value={String(score)}
      unit="of 100"
      caption={`Grade ${grade}`}
      label={`Score ${score} of 100, grade ${grade}`}
    />
  )
}

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

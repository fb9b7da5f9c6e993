import type { CheckRow, Rating } from "./rating.ts"

const MARKS: Readonly<Record<Rating, string>> = { good: "✓", bad: "✗", warn: "!", plain: "·" }
const SPOKEN_PREFIXES: Readonly<Record<Rating, string>> = { good: "good: ", bad: "bad: ", warn: "caution: ", plain: "" }

/** The sign of a rating, with words for a screen reader. */
export function Mark({ rating }: { rating: Rating }) {
  return (
    <>
      <span class={`mark ${rating}`} aria-hidden="true">
        {MARKS[rating]}
      </span>
      <span class="unseen">{SPOKEN_PREFIXES[rating]}</span>
    </>
  )
}

/** Checks with their results. */
export function RatedRows({ rows }: { rows: readonly CheckRow[] }) {
  return (
    <dl>
      {rows.map(([name, words, rating]) => (
        <div key={name} class={`check-row ${rating}`}>
          <dt>{name}</dt>
          <dd class="break">
            <Mark rating={rating} />
            <span>{words}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** A group of checks with their results. */
export function CheckRows({ title, rows }: { title?: string; rows: readonly CheckRow[] }) {
  return (
    <div class="check-group">
      {title && <h3>{title}</h3>}
      <RatedRows rows={rows} />
    </div>
  )
}

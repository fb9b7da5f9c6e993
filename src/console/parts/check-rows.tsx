/** Whether a result is for or against what is checked; `plain` is neither. */
export type Rating = "good" | "bad" | "warn" | "plain"
/** [name, result in words, rating] */
export type CheckRow = readonly [string, string, Rating]

/** Ratings by how much they matter. */
export const WORST_FIRST: readonly Rating[] = ["bad", "warn", "good", "plain"]
export const worst = (rows: readonly CheckRow[]): Rating =>
  WORST_FIRST.find((rating) => rows.some(([, , found]) => found === rating)) ?? "plain"

const MARKS: Readonly<Record<Rating, string>> = { good: "✓", bad: "✗", warn: "!", plain: "·" }
const SPOKEN_PREFIXES: Readonly<Record<Rating, string>> = { good: "good: ", bad: "bad: ", warn: "caution: ", plain: "" }

/** The sign of a rating, with words for a screen reader. */
export const Mark = ({ rating }: { rating: Rating }) => (
  <>
    <span class={`mark ${rating}`} aria-hidden="true">
      {MARKS[rating]}
    </span>
    <span class="unseen">{SPOKEN_PREFIXES[rating]}</span>
  </>
)

export const RatedRows = ({ rows }: { rows: readonly CheckRow[] }) => (
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

export const CheckRows = ({ title, rows }: { title?: string; rows: readonly CheckRow[] }) => (
  <div class="check-group">
    {title && <h3>{title}</h3>}
    <RatedRows rows={rows} />
  </div>
)

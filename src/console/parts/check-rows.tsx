/** Whether a result is for or against what is checked; `plain` is neither. */
export type Rating = "good" | "bad" | "warn" | "plain"
/** [name, result in words, rating] */
export type CheckRow = readonly [string, string, Rating]

const MARKS: Readonly<Record<Rating, string>> = { good: "✓", bad: "✗", warn: "!", plain: "·" }
const SPOKEN_PREFIXES: Readonly<Record<Rating, string>> = { good: "good: ", bad: "bad: ", warn: "caution: ", plain: "" }

/** A group of checks with their results. */
export function CheckRows({ title, rows }: { title?: string; rows: readonly CheckRow[] }) {
  return (
    <div class="check-group">
      {title && <h3>{title}</h3>}
      <dl>
        {rows.map(([name, words, rating]) => (
          <div key={name} class={`check-row ${rating}`}>
            <dt>{name}</dt>
            <dd class="break">
              <span aria-hidden="true">{MARKS[rating]}</span>
              <span class="unseen">{SPOKEN_PREFIXES[rating]}</span>
              {words}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

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

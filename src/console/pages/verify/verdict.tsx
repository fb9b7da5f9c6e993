import type { Deliverability } from "../../api/shapes.ts"
import { StatusBadge } from "../../parts/badge.tsx"
import { Ago } from "../../parts/moment.tsx"
import { moment } from "../../words.ts"
import { sentenceOf } from "./sentence.ts"

const RECOMMENDATIONS = {
  send: "Safe to send to",
  send_with_caution: "Send with caution",
  retry_later: "Try again later",
  do_not_send: "Do not send",
} as const

interface VerdictProps {
  readonly result: Deliverability
  readonly onTry: (email: string) => void
}

/** The verdict: one sentence that agrees with the evidence, what follows from it, and the score. */
export function Verdict({ result, onTry }: VerdictProps) {
  const { checks, did_you_mean, deliverability_score: advice } = result
  const { says, tone, notes } = sentenceOf(result)
  return (
    <section class={`panel verdict tone-${tone}`}>
      <div class="stack">
        <div class="row">
          <StatusBadge status={checks.status} />
          <span class="mono break">{checks.email}</span>
        </div>
        <h2 class="verdict-words">{says}</h2>
        <p>
          <b>{RECOMMENDATIONS[advice.recommendation]}.</b> {notes.join(" ")}
        </p>
        {did_you_mean && (
          <p>
            Did you mean{" "}
            <button type="button" class="link" onClick={() => onTry(did_you_mean)}>
              {did_you_mean}
            </button>
            ?
          </p>
        )}
        {checks.next_check_at && <p class="soft">We check again by ourselves {moment(checks.next_check_at)}.</p>}
        <p class="soft small">
          {checks.cached ? (
            <>
              Cached result, verified <Ago at={checks.verified_at} />. It used no credit.
            </>
          ) : (
            <>
              Verified <Ago at={checks.verified_at} />.
            </>
          )}
        </p>
      </div>
      <Score score={checks.score} grade={advice.grade} />
    </section>
  )
}

const RADIUS = 42
const LENGTH = 2 * Math.PI * RADIUS

function Score({ score, grade }: { score: number; grade: string }) {
  return (
    <figure class="score">
      <svg viewBox="0 0 100 100" role="img" aria-label={`Score ${score} of 100, grade ${grade}`}>
        <circle cx="50" cy="50" r={RADIUS} class="score-track" />
        {score > 0 && (
          <circle
            cx="50"
            cy="50"
            r={RADIUS}
            class="score-arc"
            stroke-dasharray={`${(score / 100) * LENGTH} ${LENGTH}`}
          />
        )}
        <text x="50" y="54" class="score-number">
          {score}
        </text>
        <text x="50" y="71" class="score-of">
          of 100
        </text>
      </svg>
      <figcaption>Grade {grade}</figcaption>
    </figure>
  )
}

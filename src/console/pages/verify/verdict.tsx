import type { Checks, Deliverability } from "../../api/shapes.ts"
import { StatusBadge } from "../../parts/badge.tsx"
import { Score } from "../../parts/ring.tsx"
import { Ago } from "../../parts/text.tsx"
import { moment } from "../../words.ts"
import { noGradeWords, sentenceOf } from "./sentence.ts"

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
  const noGrade = noGradeWords(result)
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
          {checks.cached ? "Cached result, verified" : "Verified"} <Ago at={checks.verified_at} />.{" "}
          {creditWords(checks)}
        </p>
      </div>
      {noGrade === null ? (
        <Score score={checks.score} grade={advice.grade} />
      ) : (
        <p class="score">
          No grade:
          <small class="soft">{noGrade}</small>
        </p>
      )}
    </section>
  )
}

/** What the result cost: cached, unknown and malformed ones are free. A search for breaches costs a credit of its own. */
function creditWords({ cached, status, breach_found: breach }: Checks): string {
  const isFree = cached || status === "unknown" || status === "invalid_syntax"
  const search = breach === null ? "" : " A new search for breaches uses one more."
  return `${isFree ? "It used no credit." : "It used 1 credit."}${search}`
}

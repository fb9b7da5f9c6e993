import type { Deliverability } from "../../api/shapes.ts"
import { StatusBadge } from "../../parts/badge.tsx"
import { Score } from "../../parts/ring.tsx"
import { moment, plain } from "../../words.ts"
import { reasonOf } from "./reason.ts"

const RECOMMENDATIONS = {
  send: "Safe to send to",
  send_with_caution: "Send with caution",
  retry_later: "Try again later",
  do_not_send: "Do not send",
} as const

export function Verdict({ result, onTry }: { result: Deliverability; onTry: (email: string) => void }) {
  const { checks, did_you_mean, deliverability_score: advice } = result
  const reason = reasonOf(result)
  return (
    <section class={`panel verdict tone-${checks.status}`}>
      <div class="stack">
        <div class="row">
          <StatusBadge status={checks.status} />
          <span class="mono break">{checks.email}</span>
        </div>
        <h2 class="verdict-words">{RECOMMENDATIONS[advice.recommendation]}</h2>
        {reason && <p>{reason}</p>}
        {advice.primary_risk && <p class="soft">Main risk: {plain(advice.primary_risk).toLowerCase()}.</p>}
        {did_you_mean && (
          <p>
            Did you mean{" "}
            <button type="button" class="link" onClick={() => onTry(did_you_mean)}>
              {did_you_mean}
            </button>
            ?
          </p>
        )}
        {checks.next_check_at && <p class="soft">Next check: {moment(checks.next_check_at)}.</p>}
        <p class="soft small">
          {checks.cached
            ? `Cached result from ${moment(checks.verified_at)}; no credit used.`
            : `Verified ${moment(checks.verified_at)}.`}
        </p>
      </div>
      <Score score={checks.score} grade={advice.grade} />
    </section>
  )
}

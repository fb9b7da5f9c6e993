import type { FoundEmail } from "../../api/shapes.ts"
import { StatusBadge } from "../../parts/badge.tsx"
import { Copy } from "../../parts/buttons.tsx"
import { Notice } from "../../parts/notice.tsx"
import { Ring } from "../../parts/ring.tsx"
import { verifyLink } from "../../route.ts"
import { milliseconds } from "../../words.ts"
import { BasisPanel } from "./basis.tsx"
import { CanSend } from "./can-send.tsx"
import { Candidates } from "./candidates.tsx"
import type { Person } from "./person.ts"
import { confidenceWords, creditsUsed, NO_FORMATS_WORDS, outcomeWords, statusOf } from "./words.ts"

/** The result of a search: the best address with its reasons, and the other candidates. */
export function Found({ found, person }: { found: FoundEmail; person: Person }) {
  const [best, ...others] = found.candidates
  const rejected = found.candidates.filter(({ basis }) => basis.exists === false)
  if (found.best_email === null || !best)
    return (
      <div class="stack wide">
        <Notice tone="accept_all" title="No address found">
          <p>{found.reason ? NO_FORMATS_WORDS[found.reason] : outcomeWords(found)}</p>
          <p class="soft small">
            {searchedAs(person)} {creditsUsed(found.credits_used)}
          </p>
        </Notice>
        {rejected.length > 0 && (
          <Candidates title="Rejected addresses" candidates={rejected} isCatchAll={found.is_catch_all} />
        )}
      </div>
    )
  const confidence = (best.confidence * 100).toFixed(0)
  const status = statusOf(best, found.is_catch_all)
  return (
    <div class="stack wide">
      <section class={`panel verdict tone-${status}`}>
        <div class="stack">
          <div class="row">
            <StatusBadge status={status} />
            <span class="mono break">{best.email}</span>
          </div>
          <h2 class="verdict-words">{confidenceWords(best.confidence, person)}</h2>
          <p>{outcomeWords(found)}</p>
          <CanSend email={best.email} />
          <div class="row">
            <Copy text={best.email} label="Copy address" />
            <a class="button quiet" href={verifyLink(best.email)}>
              Verify
            </a>
          </div>
          <p class="soft small">
            {searchedAs(person)} {creditsUsed(found.credits_used)} Took {milliseconds(found.find_time_ms)}.
          </p>
        </div>
        <Ring
          share={best.confidence}
          value={confidence}
          unit="percent"
          caption="Confidence"
          label={`Confidence ${confidence}%`}
        />
      </section>
      <BasisPanel found={found} best={best} />
      {others.length > 0 && <Candidates title="Other candidates" candidates={others} isCatchAll={found.is_catch_all} />}
    </div>
  )
}

const searchedAs = ({ first, last }: Person): string => `First name ${first}, last name ${last}.`

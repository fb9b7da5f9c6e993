import type { Deliverability } from "../../api/shapes.ts"
import { Fold } from "../../parts/fold.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { count } from "../../words.ts"
import { CheckList } from "./check-list.tsx"
import { Evidence } from "./evidence.tsx"
import { emptyTranscriptReason } from "./reason.ts"
import { ScoreBreakdown } from "./score-breakdown.tsx"
import { noGradeWords } from "./sentence.ts"
import { Transcript } from "./transcript.tsx"

/** The details of a verdict: the checks, then the folded evidence. */
export function Result({ result }: { result: Deliverability }) {
  const { checks, explanation } = result
  return (
    <div class="stack">
      <CheckList result={result} />
      <ScoreBreakdown
        breakdown={checks.score_breakdown}
        total={checks.score}
        status={checks.status}
        noGrade={noGradeWords(result)}
      />
      {explanation && (
        <Fold title="Evidence" summary={`${count(explanation.ledger.length)} facts; their points add up to the score`}>
          <Evidence entries={explanation.ledger} />
        </Fold>
      )}
      {explanation && <Transcript lines={explanation.transcript} emptyReason={emptyTranscriptReason(result)} />}
      <Fold title="JSON" summary="The response of the API">
        <Scroll label="Response as JSON" variant="code">
          <pre>{JSON.stringify(result, null, 2)}</pre>
        </Scroll>
      </Fold>
    </div>
  )
}

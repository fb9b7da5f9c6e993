import type { Deliverability } from "../../api/shapes.ts"
import { Copy } from "../../parts/copy.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { CheckList } from "./check-list.tsx"
import { Ledger } from "./ledger.tsx"
import { emptyTranscriptReason } from "./reason.ts"
import { ScoreBreakdown } from "./score-breakdown.tsx"
import { Transcript } from "./transcript.tsx"

/** The details of a verdict. */
export function Result({ result }: { result: Deliverability }) {
  const { checks, explanation } = result
  return (
    <div class="stack wide">
      <div class="columns">
        <ScoreBreakdown breakdown={checks.score_breakdown} total={checks.score} status={checks.status} />
        <CheckList checks={checks} />
      </div>
      {explanation && <Transcript lines={explanation.transcript} emptyReason={emptyTranscriptReason(result)} />}
      {explanation && <Ledger entries={explanation.ledger} />}
      <details>
        <summary>Response as JSON</summary>
        <div class="stack">
          <Copy text={JSON.stringify(result, null, 2)} label="Copy JSON" />
          <Scroll label="Response as JSON" variant="code">
            <pre>{JSON.stringify(result, null, 2)}</pre>
          </Scroll>
        </div>
      </details>
    </div>
  )
}

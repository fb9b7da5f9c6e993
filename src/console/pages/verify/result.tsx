import type { Deliverability } from "../../api/shapes.ts"
import { Copy } from "../../parts/copy.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { CheckList } from "./check-list.tsx"
import { Ledger } from "./ledger.tsx"
import { ScoreBreakdown } from "./score-breakdown.tsx"
import { Transcript } from "./transcript.tsx"

/** What stands behind a verdict. */
export function Result({ result }: { result: Deliverability }) {
  const { checks, explanation } = result
  return (
    <div class="stack wide">
      <div class="columns">
        <ScoreBreakdown breakdown={checks.score_breakdown} total={checks.score} status={checks.status} />
        <CheckList checks={checks} />
      </div>
      {explanation && <Transcript lines={explanation.transcript} smtpStatus={checks.smtp_status} />}
      {explanation && <Ledger entries={explanation.ledger} />}
      <details>
        <summary>Answer as JSON</summary>
        <div class="stack">
          <Copy text={JSON.stringify(result, null, 2)} label="Copy the JSON" />
          <Scroll label="Answer as JSON" look="code">
            <pre>{JSON.stringify(result, null, 2)}</pre>
          </Scroll>
        </div>
      </details>
    </div>
  )
}

import type { Delivery } from "../../api/shapes.ts"
import { Badge } from "../../parts/badge.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { Ago } from "../../parts/text.tsx"
import { useSendAgain } from "./send-again.ts"
import { answerInWords, EVENT_NAMES, soon, stateOf } from "./words.ts"

export function DeliveryRow({ delivery, onSent }: { delivery: Delivery; onSent: () => void }) {
  const [tone, name] = stateOf(delivery)
  const last = delivery.attempts.at(-1)
  const { busy, problem, run } = useSendAgain(delivery, onSent)
  return (
    <tr>
      <td>
        <a href={`#/webhooks/${delivery.event_id}`}>{EVENT_NAMES[delivery.type]}</a>
        <br />
        <code class="soft small">{delivery.type}</code>
      </td>
      <td data-name="State">
        <Badge tone={tone}>{name}</Badge>
        {last && <div class="soft small">{answerInWords(last.outcome, last.http_status)}</div>}
      </td>
      <td class="break" data-name="Sent to">
        {delivery.url}
      </td>
      <td data-name="When">
        <Ago at={delivery.created_at} />
        {delivery.next_attempt_at && <div class="soft small">next attempt {soon(delivery.next_attempt_at)}</div>}
        <ProblemNotice problem={problem} />
      </td>
      <td>
        <div class="actions">
          {delivery.state !== "pending" && (
            <button type="button" class="button quiet" aria-disabled={busy} onClick={() => void run()}>
              Send again
            </button>
          )}
        </div>
      </td>
    </tr>
  )
}

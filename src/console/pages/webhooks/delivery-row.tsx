import type { EventState } from "../../../../schema/vocabulary.ts"
import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { Delivery } from "../../api/shapes.ts"
import { Badge, type Tone } from "../../parts/badge.tsx"
import { Ago } from "../../parts/moment.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { milliseconds, moment, plain } from "../../words.ts"

const STATES: Readonly<Record<EventState, readonly [Tone, string]>> = {
  pending: ["accent", "Waiting"],
  delivered: ["valid", "Delivered"],
  failed: ["invalid", "Failed"],
  disabled: ["accept_all", "Receiver disabled"],
}

export function DeliveryRow({ delivery, onChange }: { delivery: Delivery; onChange: () => void }) {
  const [tone, words] = STATES[delivery.state]
  const { busy, problem, run } = useAction(async () => {
    const answer = await call(`/webhooks/deliveries/${delivery.event_id}/redrive`, { method: "POST" })
    if (!answer.ok) return answer.problem
    onChange()
    return null
  })
  return (
    <tr>
      <td>
        {delivery.type}
        <br />
        <code class="soft">{delivery.event_id.slice(0, 16)}…</code>
      </td>
      <td>
        <Badge tone={tone}>{words}</Badge>
      </td>
      <td class="break">{delivery.url}</td>
      <td>
        <Ago at={delivery.created_at} />
        {delivery.next_attempt_at && <div class="soft small">next attempt {moment(delivery.next_attempt_at)}</div>}
      </td>
      <td>
        <Attempts of={delivery} />
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

function Attempts({ of: { attempts } }: { of: Delivery }) {
  if (attempts.length === 0) return <span class="soft">none yet</span>
  return (
    <details>
      <summary>{attempts.length}</summary>
      <ol class="attempts small">
        {attempts.map((attempt) => (
          <li key={`${attempt.attempt} ${attempt.started_at}`}>
            {plain(attempt.outcome)} {attempt.http_status ?? ""}
            <span class="soft">
              {" "}
              in {milliseconds(attempt.duration_ms)}, {moment(attempt.started_at)}
            </span>
          </li>
        ))}
      </ol>
    </details>
  )
}

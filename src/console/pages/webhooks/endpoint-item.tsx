import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { AccountEndpoint } from "../../api/shapes.ts"
import { Badge } from "../../parts/badge.tsx"
import { Confirm } from "../../parts/dialog.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { Ago } from "../../parts/text.tsx"
import { EndpointForm } from "./endpoint-form.tsx"
import { TestOutcome, useTest } from "./test-endpoint.tsx"
import { answerInWords, ENDPOINT_STATES, EVENT_NAMES } from "./words.ts"

interface EndpointItemProps {
  readonly of: AccountEndpoint
  readonly onChange: () => void
  readonly onDeliveries: () => void
}

/** A webhook: how it does, and what can be done with it. */
export function EndpointItem({ of: endpoint, onChange, onDeliveries }: EndpointItemProps) {
  const { endpoint_id, url, description, events, state } = endpoint
  const [tone, name, meaning] = ENDPOINT_STATES[state]
  const [isEditing, setEditing] = useState(false)
  const path = `/webhooks/endpoints/${endpoint_id}`
  const test = useTest(endpoint_id, onChange)
  const runs = state === "active" || state === "failing"
  const pause = useAction(async () => {
    const answer = await call(path, { method: "PATCH", json: { paused: runs } })
    if (!answer.ok) return answer.problem
    onChange()
    return null
  })
  async function remove() {
    const answer = await call(path, { method: "DELETE" })
    if (!answer.ok) return answer.problem
    onChange()
    return null
  }
  return (
    <li class="stack" aria-label={url}>
      <div class="panel-head">
        <h3 class="break">{url}</h3>
        <Badge tone={tone}>{name}</Badge>
      </div>
      <p class="soft small break">
        {description && <>{description} · </>}
        {events.map((event) => EVENT_NAMES[event]).join(", ")}
      </p>
      {meaning && <p class="small">{meaning}</p>}
      <LastAttempt of={endpoint} />
      <div class="row">
        <button type="button" class="button quiet" aria-disabled={test.busy} onClick={() => void test.run()}>
          {test.busy ? "Sending a test" : "Send test"}
        </button>
        <button type="button" class="button quiet" onClick={onDeliveries}>
          Deliveries
        </button>
        <button type="button" class="button quiet" onClick={() => setEditing(true)}>
          Edit
        </button>
        <button type="button" class="button quiet" aria-disabled={pause.busy} onClick={() => void pause.run()}>
          {runs ? "Pause" : state === "paused" ? "Resume" : "Enable"}
        </button>
        <Confirm label="Remove" title="Remove this webhook?" danger onConfirm={remove}>
          <p class="break">{url}</p>
          <p>It gets no more events, and events that wait for it are not sent. Its deliveries stay in the log.</p>
        </Confirm>
      </div>
      <ProblemNotice problem={test.problem ?? pause.problem} />
      <TestOutcome of={test.delivery} busy={test.busy} />
      {isEditing && <EndpointForm endpoint={endpoint} onSaved={onChange} onClose={() => setEditing(false)} />}
    </li>
  )
}

function LastAttempt({ of: { last_attempt_at, last_outcome, last_http_status } }: { of: AccountEndpoint }) {
  if (last_attempt_at === null || last_outcome === null) return <p class="soft small">Nothing sent yet.</p>
  return (
    <p class="soft small">
      Last attempt <Ago at={last_attempt_at} />: {answerInWords(last_outcome, last_http_status).toLowerCase()}
    </p>
  )
}

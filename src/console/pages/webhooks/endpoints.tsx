import { useState } from "preact/hooks"
import type { EndpointEvent } from "../../../../schema/vocabulary.ts"
import { call, change, invalid, type Load, type Problem, useAction } from "../../api/call.ts"
import type { AccountEndpoint, AccountEndpoints, Delivery, DeliveryPage } from "../../api/shapes.ts"
import { ActionButton, Button, Confirm, DialogButton } from "../../parts/buttons.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { LoadedPanel } from "../../parts/page.tsx"
import { Ago, Badge, Empty, Notice, ProblemNotice } from "../../parts/text.tsx"
import { milliseconds } from "../../words.ts"
import { answerInWords, CHOICES, ENDPOINT_STATES, EVENT_NAMES, soon } from "./words.ts"

interface EndpointsProps {
  readonly of: Load<AccountEndpoints>
  readonly onDeliveries: (endpointId: string) => void
  readonly onChange: () => void
}

export function Endpoints({ of: load, onDeliveries, onChange }: EndpointsProps) {
  function changed() {
    load.reload()
    onChange()
  }
  const add = (
    <DialogButton label="Add webhook" title="Add webhook" class="button primary">
      {(close) => <EndpointForm endpoint={null} onSaved={load.reload} onClose={close} />}
    </DialogButton>
  )
  return (
    <LoadedPanel title="Your webhooks" of={load}>
      {({ endpoints, max_endpoints }) => (
        <>
          {endpoints.length === 0 ? (
            <Empty title="No webhooks yet">
              <p>Add the URL of your server once. It gets the events that you choose, for every list and every key.</p>
              {add}
            </Empty>
          ) : (
            <>
              <ul class="endpoints">
                {endpoints.map((endpoint) => (
                  <EndpointItem
                    key={endpoint.endpoint_id}
                    of={endpoint}
                    onChange={changed}
                    onDeliveries={() => onDeliveries(endpoint.endpoint_id)}
                  />
                ))}
              </ul>
              {endpoints.length < max_endpoints ? (
                <div>{add}</div>
              ) : (
                <p class="soft small">An account has at most {max_endpoints} webhooks. Remove one to add another.</p>
              )}
            </>
          )}
        </>
      )}
    </LoadedPanel>
  )
}

interface EndpointItemProps {
  readonly of: AccountEndpoint
  readonly onChange: () => void
  readonly onDeliveries: () => void
}

function EndpointItem({ of: endpoint, onChange, onDeliveries }: EndpointItemProps) {
  const { endpoint_id, url, description, events, state } = endpoint
  const [tone, name, meaning] = ENDPOINT_STATES[state]
  const path = `/webhooks/endpoints/${endpoint_id}`
  const test = useTest(endpoint_id, onChange)
  const runs = state === "active" || state === "failing"
  const pause = () => change(path, { method: "PATCH", json: { paused: runs } }, onChange)
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
        <Button
          label={test.busy ? "Sending a test" : "Send test"}
          class="button quiet"
          isBlocked={test.busy}
          onClick={() => void test.run()}
        />
        <Button label="Deliveries" class="button quiet" onClick={onDeliveries} />
        <DialogButton label="Edit" title="Edit webhook">
          {(close) => <EndpointForm endpoint={endpoint} onSaved={onChange} onClose={close} />}
        </DialogButton>
        <ActionButton
          label={runs ? "Pause" : state === "paused" ? "Resume" : "Enable"}
          class="button quiet"
          onAct={pause}
        />
        <Confirm
          label="Remove"
          title="Remove this webhook?"
          danger
          onConfirm={() => change(path, { method: "DELETE" }, onChange)}
        >
          <p class="break">{url}</p>
          <p>It gets no more events, and events that wait for it are not sent. Its deliveries stay in the log.</p>
        </Confirm>
      </div>
      <ProblemNotice problem={test.problem} />
      <TestOutcome of={test.delivery} busy={test.busy} />
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

interface EndpointFormProps {
  /** Null to add one. */
  readonly endpoint: AccountEndpoint | null
  readonly onSaved: () => void
  readonly onClose: () => void
}

const BY_DEFAULT: readonly EndpointEvent[] = ["job.completed", "job.failed"]
const DUPLICATE = "The account already has an endpoint"
const NO_EVENT = invalid("Choose at least one event.", "events")

/** A form that adds a webhook or changes its events and note. The URL of a webhook stays. */
function EndpointForm({ endpoint, onSaved, onClose }: EndpointFormProps) {
  const form = useForm(
    {
      url: {
        label: "URL",
        placeholder: "https://example.org/webhooks/mailverdict",
        hint: "Of your own server: https, and open to the internet.",
        required: true,
      },
      events: { label: "Events", kind: "choices", options: CHOICES, initial: endpoint?.events ?? BY_DEFAULT },
      description: {
        label: "Note",
        placeholder: "CRM, production",
        hint: "Optional, for you.",
        initial: endpoint?.description ?? "",
      },
    },
    async ({ url, ...json }, labels) => {
      if (json.events.length === 0) return NO_EVENT
      const init = endpoint
        ? ({ method: "PATCH", json, labels } as const)
        : ({ method: "POST", json: { ...json, url }, labels } as const)
      const path = endpoint ? `/webhooks/endpoints/${endpoint.endpoint_id}` : "/webhooks/endpoints"
      const problem = await change(path, init, () => {
        onSaved()
        onClose()
      })
      return problem && { ...problem, message: problem.message.replace(DUPLICATE, "You already have a webhook") }
    },
  )
  return (
    <>
      {endpoint && (
        <p class="break">
          <b>{endpoint.url}</b>
        </p>
      )}
      <Form
        of={form}
        submit={endpoint ? "Save" : "Add webhook"}
        names={endpoint ? ["events", "description"] : ["url", "events", "description"]}
        noValidate
        onCancel={onClose}
      />
    </>
  )
}

const POLL_MS = 500
/** Longer than the service waits for the receiver's answer, 15 s. */
const PATIENCE_MS = 20_000
const TOO_LATE: Problem = {
  status: 0,
  message: "The test is not sent yet. It appears in the deliveries in a minute.",
  requestId: null,
}

/** Sends a test to a webhook and waits for its first attempt. @param onEnd called after the attempt */
function useTest(endpointId: string, onEnd: () => void) {
  const [delivery, setDelivery] = useState<Delivery | null>(null)
  const action = useAction(async () => {
    setDelivery(null)
    const sent = await call<{ event_id: string }>(`/webhooks/endpoints/${endpointId}/test`, { method: "POST" })
    if (!sent.ok) return sent.problem
    const found = await firstAttempt(sent.body.event_id)
    onEnd()
    if ("message" in found) return found
    setDelivery(found)
    return null
  })
  return { ...action, delivery }
}

async function firstAttempt(eventId: string): Promise<Delivery | Problem> {
  let isAttempted = false
  for (const stopAt = Date.now() + PATIENCE_MS; Date.now() < stopAt; ) {
    const answer = await call<DeliveryPage>(`/webhooks/deliveries?event_id=${eventId}`)
    if (!answer.ok) return answer.problem
    const delivery = answer.body.deliveries[0]
    // The first answer with the attempt may still have the state before it.
    if (delivery && isAttempted) return delivery
    isAttempted = delivery !== undefined && delivery.attempts.length > 0
    if (!isAttempted) await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  return TOO_LATE
}

/** What the receiver answered to a test, in how long, and what comes next. */
function TestOutcome({ of: delivery, busy }: { of: Delivery | null; busy: boolean }) {
  const attempt = delivery?.attempts.at(-1)
  if (busy) return <p role="status">Waiting for the answer of your server…</p>
  if (!delivery || !attempt) return null
  const isDelivered = attempt.outcome === "delivered"
  return (
    <Notice tone={isDelivered ? "valid" : "invalid"} title={isDelivered ? "The test arrived" : "The test failed"}>
      <p>
        {answerInWords(attempt.outcome, attempt.http_status)}, after {milliseconds(attempt.duration_ms)}.
        {delivery.next_attempt_at && ` Next attempt ${soon(delivery.next_attempt_at)}.`}
      </p>
      <a href={`#/webhooks/${delivery.event_id}`}>See what was sent</a>
    </Notice>
  )
}

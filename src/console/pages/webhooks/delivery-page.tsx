import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { DeliveryPage as Answer, Delivery } from "../../api/shapes.ts"
import { Badge } from "../../parts/badge.tsx"
import { Copy } from "../../parts/buttons.tsx"
import { Empty, ProblemNotice } from "../../parts/notice.tsx"
import { ForAccount, Loaded, Page, Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { milliseconds } from "../../words.ts"
import { useSendAgain } from "./send-again.ts"
import { answerInWords, EVENT_NAMES, exactMoment, stateOf } from "./words.ts"

/** One event: what was sent where, each attempt, and the button that sends it again. */
export function DeliveryPage({ eventId }: { eventId: string }) {
  return (
    <Page title="Delivery" lead={<a href="#/webhooks">All webhooks</a>}>
      <ForAccount>
        <OneDelivery eventId={eventId} />
      </ForAccount>
    </Page>
  )
}

function OneDelivery({ eventId }: { eventId: string }) {
  const load = useLoad(`delivery ${eventId}`, (signal) =>
    call<Answer>(`/webhooks/deliveries?${new URLSearchParams({ event_id: eventId })}`, { signal }),
  )
  return (
    <Loaded of={load}>
      {({ deliveries: [delivery] }) =>
        delivery ? (
          <>
            <Summary of={delivery} onSent={load.reload} onRefresh={load.reload} />
            <Attempts of={delivery} />
            <Payload of={delivery} />
          </>
        ) : (
          <Empty title="No such delivery">
            <p>Deliveries are stored for 30 days.</p>
          </Empty>
        )
      }
    </Loaded>
  )
}

function Summary({ of: delivery, onSent, onRefresh }: { of: Delivery; onSent: () => void; onRefresh: () => void }) {
  const [tone, name] = stateOf(delivery)
  const { busy, problem, run } = useSendAgain(delivery, onSent)
  return (
    <Panel title={EVENT_NAMES[delivery.type]} note={<Badge tone={tone}>{name}</Badge>}>
      <dl class="facts">
        <dt>Sent to</dt>
        <dd class="break">{delivery.url}</dd>
        <dt>Event</dt>
        <dd>
          <code>{delivery.type}</code>
        </dd>
        <dt>Event ID</dt>
        <dd class="break">
          <code>{delivery.event_id}</code>
        </dd>
        <dt>Created</dt>
        <dd>{exactMoment(delivery.created_at)}</dd>
        {delivery.next_attempt_at && (
          <>
            <dt>Next attempt</dt>
            <dd>{exactMoment(delivery.next_attempt_at)}</dd>
          </>
        )}
      </dl>
      <div class="row">
        {delivery.state === "pending" ? (
          <button type="button" class="button" onClick={onRefresh}>
            Refresh
          </button>
        ) : (
          <button type="button" class="button" aria-disabled={busy} onClick={() => void run()}>
            Send again
          </button>
        )}
      </div>
      <ProblemNotice problem={problem} />
    </Panel>
  )
}

function Attempts({ of: { attempts } }: { of: Delivery }) {
  return (
    <Panel title="Attempts">
      {attempts.length === 0 ? (
        <p class="soft">None yet.</p>
      ) : (
        <Scroll label="Attempts">
          <table class="table">
            <thead>
              <tr>
                <th>Attempt</th>
                <th>Answer of your server</th>
                <th>When</th>
              </tr>
            </thead>
            <tbody>
              {attempts.map(({ attempt, outcome, http_status, duration_ms, started_at }) => (
                <tr key={attempt}>
                  <td>{attempt}</td>
                  <td>
                    {answerInWords(outcome, http_status)}
                    <div class="soft small">after {milliseconds(duration_ms)}</div>
                  </td>
                  <td>{exactMoment(started_at)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </Panel>
  )
}

function Payload({ of: { payload } }: { of: Delivery }) {
  const text = JSON.stringify(payload, null, 2)
  return (
    <Panel title="Content" note={<Copy text={text} />}>
      <Scroll label="Content as JSON" variant="code">
        <pre>{text}</pre>
      </Scroll>
    </Panel>
  )
}

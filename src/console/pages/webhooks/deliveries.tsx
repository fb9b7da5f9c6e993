import type { EventState } from "../../../../schema/vocabulary.ts"
import { change, useGet, usePaged } from "../../api/call.ts"
import type { AccountEndpoint, Delivery, DeliveryPage as DeliveryPageAnswer } from "../../api/shapes.ts"
import { ActionButton, Button, Copy } from "../../parts/buttons.tsx"
import { type Column, LoadedTable, Scroll, TablePanel } from "../../parts/data-table.tsx"
import { Select } from "../../parts/field.tsx"
import { Loaded, Page, Panel } from "../../parts/page.tsx"
import { Ago, Badge, Empty, Facts, withNote } from "../../parts/text.tsx"
import { useChoice } from "../../route.ts"
import { milliseconds, percent } from "../../words.ts"
import { answerInWords, DELIVERY_STATES, EVENT_NAMES, exactMoment, soon, stateOf } from "./words.ts"

/** The panel's heading, to which the page can move the focus. */
export const DELIVERIES_ID = "deliveries"

const STATES = [
  ["", "All"],
  ...Object.entries(DELIVERY_STATES).map(([state, [, name]]) => [state, name] as const),
] as readonly (readonly [EventState | "", string])[]

interface DeliveriesProps {
  /** Another number loads the deliveries again. */
  readonly changes: number
  readonly endpoints: readonly AccountEndpoint[]
  /** Of the attempts of the last 24 hours, 0-1. Null without attempts. */
  readonly successRate: number | null
  /** The id of the webhook whose deliveries are shown; empty for all. */
  readonly shown: string
  readonly onShown: (endpointId: string) => void
  readonly onSent: () => void
}

export function Deliveries({ changes, endpoints, successRate, shown, onShown, onSent }: DeliveriesProps) {
  const [state, setState] = useChoice("state")
  const filters = { limit: "25", endpoint_id: shown, state }
  const load = usePaged<DeliveryPageAnswer>("/webhooks/deliveries", filters, { version: changes })
  const isRemoved = shown !== "" && !endpoints.some(({ endpoint_id }) => endpoint_id === shown)
  const isEmpty = load.state === "ready" && load.value.deliveries.length === 0
  const isFiltered = shown !== "" || state !== ""
  const webhooks = [
    ["", "All"] as const,
    ...endpoints.map(({ endpoint_id, url }) => [endpoint_id, url] as const),
    ...(isRemoved ? [[shown, "A removed webhook"] as const] : []),
  ]
  return (
    <section class="panel">
      <div class="panel-head">
        <h2 id={DELIVERIES_ID} tabIndex={-1}>
          Deliveries
        </h2>
        <p class="soft small">
          {successRate !== null && `${percent(successRate)} of the last 24 hours' attempts succeeded; `}stored for 30
          days
        </p>
      </div>
      <div class="row end">
        {(isFiltered || !isEmpty) && (
          <>
            <Select label="Webhook" value={shown} options={webhooks} onValue={onShown} />
            <Select label="State" value={state as EventState | ""} options={STATES} onValue={setState} />
          </>
        )}
        <Button label="Refresh" onClick={load.reload} />
      </div>
      <LoadedTable
        of={load}
        label="Delivery log"
        isStacked
        rows={({ deliveries }) => deliveries}
        rowKey={({ event_id }) => event_id}
        columns={columnsOf(() => {
          load.reload()
          onSent()
        })}
        empty={[
          isFiltered ? "No such deliveries" : "No deliveries yet",
          isFiltered ? "Choose All to see the others." : "Each event that we send appears here.",
        ]}
      />
    </section>
  )
}

const columnsOf = (onSent: () => void): readonly Column<Delivery>[] => [
  [
    "Event",
    ({ event_id, type }) => (
      <>
        <a href={`#/webhooks/${event_id}`}>{EVENT_NAMES[type]}</a>
        <br />
        <code class="soft small">{type}</code>
      </>
    ),
  ],
  ["State", (delivery) => <State of={delivery} />],
  ["Sent to", ({ url }) => url, "break"],
  [
    "When",
    ({ created_at, next_attempt_at: next }) => withNote(<Ago at={created_at} />, next && `next attempt ${soon(next)}`),
  ],
  ["", (delivery) => delivery.state !== "pending" && <SendAgain of={delivery} onSent={onSent} />],
]

function State({ of: delivery }: { of: Delivery }) {
  const [tone, name] = stateOf(delivery)
  const last = delivery.attempts.at(-1)
  return withNote(<Badge tone={tone}>{name}</Badge>, last && answerInWords(last.outcome, last.http_status))
}

interface SendAgainProps {
  readonly of: Delivery
  readonly class?: string
  readonly onSent: () => void
}

const SendAgain = ({ of: { event_id }, onSent, class: given = "button quiet" }: SendAgainProps) => (
  <ActionButton
    label="Send again"
    class={given}
    onAct={() => change(`/webhooks/deliveries/${event_id}/redrive`, { method: "POST" }, onSent)}
  />
)

export function DeliveryPage({ eventId }: { eventId: string }) {
  return (
    <Page title="Delivery" lead={<a href="#/webhooks">All webhooks</a>} access="account">
      <OneDelivery eventId={eventId} />
    </Page>
  )
}

function OneDelivery({ eventId }: { eventId: string }) {
  const load = useGet<DeliveryPageAnswer>(`/webhooks/deliveries?${new URLSearchParams({ event_id: eventId })}`)
  return (
    <Loaded of={load}>
      {({ deliveries: [delivery] }) =>
        delivery ? (
          <>
            <Summary of={delivery} onRefresh={load.reload} />
            <Attempts of={delivery} />
            <Payload of={delivery} />
          </>
        ) : (
          <Empty title="No such delivery" text="Deliveries are stored for 30 days." />
        )
      }
    </Loaded>
  )
}

function Summary({ of: delivery, onRefresh }: { of: Delivery; onRefresh: () => void }) {
  const [tone, name] = stateOf(delivery)
  return (
    <Panel title={EVENT_NAMES[delivery.type]} note={<Badge tone={tone}>{name}</Badge>}>
      <Facts
        facts={[
          ["Sent to", delivery.url],
          ["Event", <code key="type">{delivery.type}</code>],
          ["Event ID", <code key="id">{delivery.event_id}</code>],
          ["Created", exactMoment(delivery.created_at)],
          delivery.next_attempt_at !== null && ["Next attempt", exactMoment(delivery.next_attempt_at)],
        ]}
      />
      <div class="row">
        {delivery.state === "pending" ? (
          <Button label="Refresh" onClick={onRefresh} />
        ) : (
          <SendAgain of={delivery} class="button" onSent={onRefresh} />
        )}
      </div>
    </Panel>
  )
}

const Attempts = ({ of: { attempts } }: { of: Delivery }) => (
  <TablePanel
    title="Attempts"
    rows={attempts}
    rowKey={({ attempt }) => attempt}
    columns={[
      ["Attempt", ({ attempt }) => attempt],
      [
        "Answer of your server",
        ({ outcome, http_status, duration_ms }) =>
          withNote(answerInWords(outcome, http_status), `after ${milliseconds(duration_ms)}`, "soft small"),
      ],
      ["When", ({ started_at }) => exactMoment(started_at)],
    ]}
    empty={<p class="soft">None yet.</p>}
  />
)

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

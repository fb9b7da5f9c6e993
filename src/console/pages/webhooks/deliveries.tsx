import type { EventState } from "../../../../schema/vocabulary.ts"
import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { AccountEndpoint, Delivery, DeliveryPage } from "../../api/shapes.ts"
import { Select } from "../../parts/field.tsx"
import { Empty } from "../../parts/notice.tsx"
import { Loaded } from "../../parts/page.tsx"
import { Pager, usePages } from "../../parts/pager.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { useChoice } from "../../route.ts"
import { percent } from "../../words.ts"
import { DeliveryRow } from "./delivery-row.tsx"
import { DELIVERY_STATES } from "./words.ts"

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
  const pages = usePages()
  const { cursor } = pages
  const load = useLoad(
    `deliveries ${changes} ${shown} ${state} ${cursor}`,
    (signal) => {
      const only = { ...(shown ? { endpoint_id: shown } : {}), ...(state ? { state } : {}) }
      const query = new URLSearchParams({ limit: "25", ...only, ...(cursor ? { cursor } : {}) })
      return call<DeliveryPage>(`/webhooks/deliveries?${query}`, { signal })
    },
    { keepPrevious: true },
  )
  const isRemoved = shown !== "" && !endpoints.some(({ endpoint_id }) => endpoint_id === shown)
  const isEmpty = load.state === "ready" && load.value.deliveries.length === 0
  const isFiltered = shown !== "" || state !== ""
  const webhooks = [
    ["", "All"] as const,
    ...endpoints.map(({ endpoint_id, url }) => [endpoint_id, url] as const),
    ...(isRemoved ? [[shown, "A removed webhook"] as const] : []),
  ]
  const choose = (set: (value: string) => void) => (value: string) => {
    set(value)
    pages.restart()
  }
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
            <Select label="Webhook" value={shown} options={webhooks} onValue={choose(onShown)} />
            <Select label="State" value={state as EventState | ""} options={STATES} onValue={choose(setState)} />
          </>
        )}
        <button type="button" class="button" onClick={load.reload}>
          Refresh
        </button>
      </div>
      <Loaded of={load}>
        {({ deliveries, next_cursor: next }) => (
          <>
            {deliveries.length === 0 ? (
              <Empty title={isFiltered ? "No such deliveries" : "No deliveries yet"}>
                <p>{isFiltered ? "Choose All to see the others." : "Each event that we send appears here."}</p>
              </Empty>
            ) : (
              <DeliveryTable
                deliveries={deliveries}
                onSent={() => {
                  load.reload()
                  onSent()
                }}
              />
            )}
            <Pager pages={pages} next={next} busy={load.isStale} />
          </>
        )}
      </Loaded>
    </section>
  )
}

function DeliveryTable({ deliveries, onSent }: { deliveries: readonly Delivery[]; onSent: () => void }) {
  return (
    <Scroll label="Delivery log">
      <table class="table stacked">
        <thead>
          <tr>
            <th>Event</th>
            <th>State</th>
            <th>Sent to</th>
            <th>When</th>
            <th>
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map((delivery) => (
            <DeliveryRow key={delivery.event_id} delivery={delivery} onSent={onSent} />
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

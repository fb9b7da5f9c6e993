import { useState } from "preact/hooks"
import type { EventState } from "../../../../schema/vocabulary.ts"
import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { Delivery, DeliveryPage } from "../../api/shapes.ts"
import { Select } from "../../parts/field.tsx"
import { Loaded } from "../../parts/loaded.tsx"
import { Empty } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { Pager, usePages } from "../../parts/pager.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { DeliveryRow } from "./delivery-row.tsx"

const STATES: readonly (readonly [EventState | "", string])[] = [
  ["", "All"],
  ["pending", "Waiting"],
  ["delivered", "Delivered"],
  ["failed", "Failed"],
  ["disabled", "Receiver disabled"],
]

export function Deliveries() {
  const [state, setState] = useState<EventState | "">("")
  const pages = usePages()
  const { cursor } = pages
  const load = useLoad(
    `deliveries ${state} ${cursor}`,
    (signal) => {
      const query = new URLSearchParams({ limit: "25", ...(state ? { state } : {}), ...(cursor ? { cursor } : {}) })
      return call<DeliveryPage>(`/webhooks/deliveries?${query}`, { signal })
    },
    { keepPrevious: true },
  )
  return (
    <Panel title="Delivery log" note="stored for 30 days">
      <div class="row end">
        <Select
          label="Show"
          value={state}
          options={STATES}
          onValue={(next) => {
            setState(next)
            pages.restart()
          }}
        />
        <button type="button" class="button" onClick={load.reload}>
          Refresh
        </button>
      </div>
      <Loaded of={load}>
        {({ deliveries, next_cursor: next }) => (
          <>
            {deliveries.length === 0 ? (
              <Empty title="No deliveries">
                <p>{state === "" ? "Nothing has been delivered yet." : "No delivery has this state."}</p>
              </Empty>
            ) : (
              <DeliveryTable deliveries={deliveries} onChange={load.reload} />
            )}
            <Pager pages={pages} next={next} busy={load.isStale} />
          </>
        )}
      </Loaded>
    </Panel>
  )
}

function DeliveryTable({ deliveries, onChange }: { deliveries: readonly Delivery[]; onChange: () => void }) {
  return (
    <Scroll label="Delivery log">
      <table class="table">
        <thead>
          <tr>
            <th>Event</th>
            <th>State</th>
            <th>Receiver</th>
            <th>When</th>
            <th>Attempts</th>
            <th>
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map((delivery) => (
            <DeliveryRow key={delivery.event_id} delivery={delivery} onChange={onChange} />
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

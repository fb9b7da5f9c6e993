import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { IntegrationEvents } from "../../api/shapes.ts"
import { Badge } from "../../parts/badge.tsx"
import { Loaded } from "../../parts/page.tsx"
import { Pager, usePages } from "../../parts/pager.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { Ago } from "../../parts/text.tsx"
import { count, milliseconds, plain } from "../../words.ts"
import { OUTCOMES } from "./words.ts"

const PAGE = 20

export function Events({ integrationId, name }: { integrationId: string; name: string }) {
  const pages = usePages()
  const query = new URLSearchParams({ limit: String(PAGE), ...(pages.cursor === "" ? {} : { cursor: pages.cursor }) })
  const load = useLoad(
    `events ${integrationId} ${pages.cursor}`,
    (signal) => call<IntegrationEvents>(`/integrations/${integrationId}/events?${query}`, { signal }),
    { keepPrevious: true },
  )
  return (
    <Loaded of={load}>
      {({ events, next_cursor }) => (
        <div class="stack">
          {events.length === 0 ? <p class="soft">No events yet.</p> : <EventTable events={events} name={name} />}
          <Pager pages={pages} next={next_cursor} busy={load.isStale} />
        </div>
      )}
    </Loaded>
  )
}

function EventTable({ events, name }: { events: IntegrationEvents["events"]; name: string }) {
  return (
    <Scroll label={`Events of ${name}`}>
      <table class="table">
        <thead>
          <tr>
            <th>Event</th>
            <th>Outcome</th>
            <th class="num">Contacts</th>
            <th class="num">Time</th>
            <th>When</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <tr key={event.event_id}>
              <td>{plain(event.kind)}</td>
              <td>
                <Badge tone={event.outcome === "ok" ? "valid" : "invalid"}>{OUTCOMES[event.outcome]}</Badge>
                {event.detail && <div class="soft small break">{event.detail}</div>}
              </td>
              <td class="num">{count(event.contacts)}</td>
              <td class="num nowrap">{milliseconds(event.duration_ms)}</td>
              <td class="nowrap">
                <Ago at={event.created_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

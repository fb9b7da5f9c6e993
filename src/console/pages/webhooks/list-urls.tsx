import type { AccountEndpoint, WebhookStats } from "../../api/shapes.ts"
import { Badge } from "../../parts/badge.tsx"
import { Fold } from "../../parts/fold.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { count } from "../../words.ts"
import { ENDPOINT_STATES } from "./words.ts"

interface ListUrlsProps {
  readonly endpoints: readonly AccountEndpoint[]
  /** All receivers of the account. */
  readonly receivers: WebhookStats["endpoints"]
}

/** Receivers that are none of the account's webhooks: their URL was given with a list or for alerts. */
export function ListUrls({ endpoints, receivers }: ListUrlsProps) {
  const own = new Set(endpoints.map(({ url }) => url))
  const others = receivers.filter(({ url }) => !own.has(url))
  if (others.length === 0) return null
  return (
    <Fold title="Other URLs" summary="Given with a list, a verification or for alerts, or removed here">
      <Scroll label="Other URLs">
        <table class="table">
          <thead>
            <tr>
              <th>URL</th>
              <th>State</th>
              <th class="num">Delivered</th>
              <th class="num">Waiting</th>
              <th class="num">Not delivered</th>
            </tr>
          </thead>
          <tbody>
            {others.map(({ url, state, events }) => (
              <tr key={url}>
                <td class="break">{url}</td>
                <td>
                  <Badge tone={ENDPOINT_STATES[state][0]}>{ENDPOINT_STATES[state][1]}</Badge>
                </td>
                <td class="num">{count(events.delivered)}</td>
                <td class="num">{count(events.pending)}</td>
                <td class="num">{count(events.failed + events.disabled)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </Fold>
  )
}

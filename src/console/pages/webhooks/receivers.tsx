import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { WebhookStats } from "../../api/shapes.ts"
import { Badge } from "../../parts/badge.tsx"
import { Loaded } from "../../parts/loaded.tsx"
import { Ago } from "../../parts/moment.tsx"
import { Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { count, percent, plain } from "../../words.ts"

const STATE_TONES = { active: "valid", failing: "accept_all", disabled: "invalid" } as const

export function Receivers() {
  const load = useLoad("receivers", (signal) => call<WebhookStats>("/webhooks/stats", { signal }))
  const rate = load.state === "ready" ? load.value.success_rate_24h : null
  return (
    <Panel title="Receivers" note={rate === null ? "" : `${percent(rate)} of attempts succeeded in the last 24 hours`}>
      <Loaded of={load}>
        {({ endpoints }) =>
          endpoints.length === 0 ? (
            <p class="soft">None yet. Upload a list with a webhook URL to add a receiver.</p>
          ) : (
            <Scroll label="Receivers">
              <table class="table">
                <thead>
                  <tr>
                    <th>URL</th>
                    <th>State</th>
                    <th class="num">Delivered</th>
                    <th class="num">Waiting</th>
                    <th class="num">Failed</th>
                    <th>Last attempt</th>
                  </tr>
                </thead>
                <tbody>
                  {endpoints.map(({ url, state, events, last_attempt_at, last_outcome }) => (
                    <tr key={url}>
                      <td class="break">{url}</td>
                      <td>
                        <Badge tone={STATE_TONES[state]}>{plain(state)}</Badge>
                      </td>
                      <td class="num">{count(events.delivered)}</td>
                      <td class="num">{count(events.pending)}</td>
                      <td class="num">{count(events.failed + events.disabled)}</td>
                      <td>
                        <Ago at={last_attempt_at} />
                        {last_outcome && <span class="soft"> {plain(last_outcome).toLowerCase()}</span>}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroll>
          )
        }
      </Loaded>
    </Panel>
  )
}

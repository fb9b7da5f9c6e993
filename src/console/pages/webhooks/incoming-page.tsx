import { SENDING_PROVIDERS } from "../../../../schema/sending-providers.ts"
import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { Receiver, Receivers } from "../../api/shapes.ts"
import { Confirm } from "../../parts/dialog.tsx"
import { ForAccount, Loaded, Page, Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { Ago } from "../../parts/text.tsx"
import { count } from "../../words.ts"
import { AddReceiver } from "./add-receiver.tsx"

/** Events that a sending provider reports to this service: bounces, complaints, deliveries. */
export function IncomingPage() {
  return (
    <Page
      title="Events from your sending provider"
      lead="Your provider reports bounces, complaints and deliveries to us. Bounced addresses go on your suppression list."
    >
      <p>
        <a href="#/webhooks">Webhooks</a> go the other way: from us to your server.
      </p>
      <ForAccount>
        <OfAccount />
      </ForAccount>
    </Page>
  )
}

function OfAccount() {
  const load = useLoad("incoming", (signal) => call<Receivers>("/webhooks/receivers", { signal }))
  return (
    <>
      <Panel title="Connected providers">
        <Loaded of={load} lines={2}>
          {({ receivers }) =>
            receivers.length === 0 ? (
              <p class="soft">None yet. Create a URL below and enter it at your provider.</p>
            ) : (
              <ReceiverTable of={receivers} onChange={load.reload} />
            )
          }
        </Loaded>
      </Panel>
      <AddReceiver onAdded={load.reload} />
    </>
  )
}

function ReceiverTable({ of: receivers, onChange }: { of: readonly Receiver[]; onChange: () => void }) {
  async function remove(id: string) {
    const answer = await call(`/webhooks/receivers/${id}`, { method: "DELETE" })
    if (!answer.ok) return answer.problem
    onChange()
    return null
  }
  return (
    <Scroll label="Connected providers">
      <table class="table">
        <thead>
          <tr>
            <th>Provider</th>
            <th>Last event</th>
            <th class="num">Events</th>
            <th class="num">Unreadable events</th>
            <th class="num">Refused requests</th>
            <th>Created</th>
            <th>
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {receivers.map((receiver) => (
            <tr key={receiver.receiver_id}>
              <td>{SENDING_PROVIDERS[receiver.provider].name}</td>
              <td>
                <Ago at={receiver.last_event_at} />
              </td>
              <td class="num">{count(receiver.events_accepted)}</td>
              <td class="num">{count(receiver.events_unreadable)}</td>
              <td class="num">{count(receiver.requests_refused)}</td>
              <td>
                <Ago at={receiver.created_at} />
              </td>
              <td>
                <div class="actions">
                  <Confirm
                    label="Remove"
                    title={`Remove this URL of ${SENDING_PROVIDERS[receiver.provider].name}?`}
                    danger
                    onConfirm={() => remove(receiver.receiver_id)}
                  >
                    <p>It stops working at once. Events that were counted stay.</p>
                  </Confirm>
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

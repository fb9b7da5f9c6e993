import { useState } from "preact/hooks"
import { ANY_SENDING_PROVIDER } from "../../../../schema/sending-providers.ts"
import { change } from "../../api/call.ts"
import { useGet } from "../../api/load.ts"
import type { AccountEndpoint, AccountEndpoints, WebhookSecret, WebhookStats } from "../../api/shapes.ts"
import { ActionButton, Copy } from "../../parts/buttons.tsx"
import { DataTable, Scroll } from "../../parts/data-table.tsx"
import { Confirm, OneTimeSecret } from "../../parts/dialog.tsx"
import { Fold, Loaded, Panel, page } from "../../parts/page.tsx"
import { Badge } from "../../parts/text.tsx"
import { useChoice } from "../../route.ts"
import { count, moment } from "../../words.ts"
import { DELIVERIES_ID, Deliveries } from "./deliveries.tsx"
import { Endpoints } from "./endpoints.tsx"
import { ENDPOINT_STATES } from "./words.ts"

export const WebhooksPage = page(OfAccount, {
  title: "Webhooks",
  lead: "Your server gets an event when a list is finished or credits run out.",
  access: "account",
})

function OfAccount() {
  const load = useGet<AccountEndpoints>("/webhooks/endpoints")
  const stats = useGet<WebhookStats>("/webhooks/stats")
  const [shown, setShown] = useChoice("webhook")
  /** Counts the tests and changes, after which the deliveries are loaded again. */
  const [changes, setChanges] = useState(0)
  const endpoints = load.state === "ready" ? load.value.endpoints : []
  function showDeliveries(endpointId: string) {
    setShown(endpointId)
    const panel = document.getElementById(DELIVERIES_ID)
    panel?.scrollIntoView()
    panel?.focus({ preventScroll: true })
  }
  return (
    <>
      <Endpoints of={load} onDeliveries={showDeliveries} onChange={() => setChanges(changes + 1)} />
      <Deliveries
        changes={changes}
        endpoints={endpoints}
        successRate={stats.state === "ready" ? stats.value.success_rate_24h : null}
        shown={shown}
        onShown={setShown}
        onSent={load.reload}
      />
      {stats.state === "ready" && <ListUrls endpoints={endpoints} receivers={stats.value.endpoints} />}
      <Secrets />
      <p class="soft small">
        The other way round, from {ANY_SENDING_PROVIDER} to us:{" "}
        <a href="#/webhooks/incoming">Events from your sending provider</a>
      </p>
    </>
  )
}

interface ListUrlsProps {
  readonly endpoints: readonly AccountEndpoint[]
  /** All receivers of the account. */
  readonly receivers: WebhookStats["endpoints"]
}

/** Receivers that are none of the account's webhooks: their URL was given with a list or for alerts. */
function ListUrls({ endpoints, receivers }: ListUrlsProps) {
  const own = new Set(endpoints.map(({ url }) => url))
  const others = receivers.filter(({ url }) => !own.has(url))
  if (others.length === 0) return null
  return (
    <Fold title="Other URLs" summary="Given with a list, a verification or for alerts, or removed here">
      <DataTable
        label="Other URLs"
        rows={others}
        rowKey={({ url }) => url}
        columns={[
          { title: "URL", class: "break", cell: ({ url }) => url },
          {
            title: "State",
            cell: ({ state }) => <Badge tone={ENDPOINT_STATES[state][0]}>{ENDPOINT_STATES[state][1]}</Badge>,
          },
          { title: "Delivered", class: "num", cell: ({ events }) => count(events.delivered) },
          { title: "Waiting", class: "num", cell: ({ events }) => count(events.pending) },
          { title: "Not delivered", class: "num", cell: ({ events }) => count(events.failed + events.disabled) },
        ]}
      />
    </Fold>
  )
}

function Secrets() {
  const load = useGet<{ secrets: readonly WebhookSecret[] }>("/webhooks/secret")
  const [newSecret, setNewSecret] = useState<string | null>(null)
  const request = (path: string) =>
    change<{ secret: string }>(path, { method: "POST" }, ({ secret }) => {
      setNewSecret(secret)
      load.reload()
    })
  return (
    <Panel title="Signing secret">
      <p>
        Every event is signed with this secret, by the <b>Standard Webhooks</b> specification. Your server verifies the
        signature, so that it trusts only events from us.
      </p>
      <Loaded of={load} lines={2}>
        {({ secrets }) => (
          <div class="stack">
            {secrets.map((secret) => (
              <p class="soft small" key={secret.secret_id}>
                Created {moment(secret.created_at)}.{" "}
                {secret.expires_at && `The former secret: it also signs until ${moment(secret.expires_at)}. `}
                {!secret.expires_at && (secret.shown ? "It was shown. Rotate it if you lost it." : "Not shown yet.")}
              </p>
            ))}
            <div class="row">
              {!secrets[0]?.shown && <ActionButton label="Show the secret" onAct={() => request("/webhooks/secret")} />}
              {secrets.length > 0 && (
                <Confirm
                  label="Rotate"
                  title="Create a new signing secret?"
                  onConfirm={() => request("/webhooks/secret/rotate")}
                >
                  <p>The old secret also signs for 24 hours, so that receivers can switch.</p>
                </Confirm>
              )}
            </div>
          </div>
        )}
      </Loaded>
      <details>
        <summary>How to verify a signature</summary>
        <div class="stack">
          <p>
            Any Standard Webhooks library does it. For Node: <code>npm install standardwebhooks</code>, and then
          </p>
          <Scroll label="Receiver that verifies the signature" variant="code">
            <pre>{SAMPLE}</pre>
          </Scroll>
          <Copy text={SAMPLE} label="Copy the code" />
          <p class="soft small">
            Answer 2xx within 15 seconds. Anything else is retried for three days. The header webhook-id is the same at
            every attempt: process each once.
          </p>
        </div>
      </details>
      {newSecret && <OneTimeSecret title="Your signing secret" secret={newSecret} onClose={() => setNewSecret(null)} />}
    </Panel>
  )
}

/** A receiver for Node that verifies the signature. The body has to be the bytes as they came. */
const SAMPLE = `import { createServer } from "node:http"
import { Webhook } from "standardwebhooks"

const webhook = new Webhook(process.env.WEBHOOK_SECRET) // whsec_…

createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  try {
    const event = webhook.verify(Buffer.concat(chunks).toString(), request.headers)
    console.log(event.type, event.data)
    response.writeHead(204).end()
  } catch {
    response.writeHead(401).end() // not from us
  }
}).listen(3000)
`

import { useState } from "preact/hooks"
import { ANY_SENDING_PROVIDER, SENDING_PROVIDERS } from "../../../../schema/sending-providers.ts"
import type { InboundProvider } from "../../../../schema/vocabulary.ts"
import { change, useGet } from "../../api/call.ts"
import type {
  AccountEndpoint,
  AccountEndpoints,
  NewReceiver,
  Receivers,
  WebhookSecret,
  WebhookStats,
} from "../../api/shapes.ts"
import { ActionButton, Confirm, Copy, OneTimeSecret } from "../../parts/buttons.tsx"
import { DataTable, LoadedTablePanel, Scroll } from "../../parts/data-table.tsx"
import { Select } from "../../parts/field.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { Fold, ForAccount, Loaded, Page, Panel, page } from "../../parts/page.tsx"
import { Ago, Badge } from "../../parts/text.tsx"
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
          ["URL", ({ url }) => url, "break"],
          ["State", ({ state }) => <Badge tone={ENDPOINT_STATES[state][0]}>{ENDPOINT_STATES[state][1]}</Badge>],
          ["Delivered", ({ events }) => count(events.delivered), "num"],
          ["Waiting", ({ events }) => count(events.pending), "num"],
          ["Not delivered", ({ events }) => count(events.failed + events.disabled), "num"],
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
                  text="The old secret also signs for 24 hours, so that receivers can switch."
                />
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

/** Events that a sending provider reports to this service: bounces, complaints, deliveries. */
export function IncomingPage() {
  const lead =
    "Your provider reports bounces, complaints and deliveries to us. Bounced addresses go on your suppression list."
  return (
    <Page title="Events from your sending provider" lead={lead}>
      <p>
        <a href="#/webhooks">Webhooks</a> go the other way: from us to your server.
      </p>
      <ForAccount>
        <ReceiversOfAccount />
      </ForAccount>
    </Page>
  )
}

function ReceiversOfAccount() {
  const load = useGet<Receivers>("/webhooks/receivers")
  return (
    <>
      <LoadedTablePanel
        title="Connected providers"
        of={load}
        rows={({ receivers }) => receivers}
        rowKey={({ receiver_id }) => receiver_id}
        columns={[
          ["Provider", ({ provider }) => SENDING_PROVIDERS[provider].name],
          ["Last event", ({ last_event_at }) => <Ago at={last_event_at} />],
          ["Events", ({ events_accepted }) => count(events_accepted), "num"],
          ["Unreadable events", ({ events_unreadable }) => count(events_unreadable), "num"],
          ["Refused requests", ({ requests_refused }) => count(requests_refused), "num"],
          ["Created", ({ created_at }) => <Ago at={created_at} />],
          [
            "",
            ({ receiver_id: id, provider }) => (
              <Confirm
                label="Remove"
                title={`Remove this URL of ${SENDING_PROVIDERS[provider].name}?`}
                danger
                onConfirm={() => change(`/webhooks/receivers/${id}`, { method: "DELETE" }, load.reload)}
                text="It stops working at once. Events that were counted stay."
              />
            ),
          ],
        ]}
        empty={<p class="soft">None yet. Create a URL below and enter it at your provider.</p>}
      />
      <AddReceiver onAdded={load.reload} />
    </>
  )
}

function AddReceiver({ onAdded }: { onAdded: () => void }) {
  const [provider, setProvider] = useState<InboundProvider>("sendgrid")
  const [created, setCreated] = useState<NewReceiver | null>(null)
  const {
    name,
    secret: { label, where },
  } = SENDING_PROVIDERS[provider]
  const form = useForm(
    { secret: { label, hint: `${name}: ${where}.` } },
    ({ secret }, labels) => {
      const json = { provider, secret: secret || null }
      return change<NewReceiver>("/webhooks/receivers", { method: "POST", json, labels }, (receiver) => {
        setCreated(receiver)
        onAdded()
      })
    },
    { resets: "texts" },
  )
  return (
    <Panel title="Connect a provider">
      <Select label="Provider" value={provider} options={OPTIONS} onValue={setProvider} />
      <Form of={form} submit="Create the URL" />
      {created && (
        <OneTimeSecret title={`Enter this URL at ${name}`} secret={created.url} onClose={() => setCreated(null)} />
      )}
    </Panel>
  )
}

const OPTIONS = Object.entries(SENDING_PROVIDERS).map(
  ([provider, { name }]) => [provider, name] as const,
) as readonly (readonly [InboundProvider, string])[]

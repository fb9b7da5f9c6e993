import { useState } from "preact/hooks"
import { SENDING_PROVIDERS } from "../../../../schema/sending-providers.ts"
import type { InboundProvider } from "../../../../schema/vocabulary.ts"
import { change } from "../../api/call.ts"
import { useGet } from "../../api/load.ts"
import type { NewReceiver, Receivers } from "../../api/shapes.ts"
import { LoadedTable } from "../../parts/data-table.tsx"
import { Confirm, OneTimeSecret } from "../../parts/dialog.tsx"
import { Select } from "../../parts/field.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { ForAccount, Page, Panel } from "../../parts/page.tsx"
import { Ago } from "../../parts/text.tsx"
import { count } from "../../words.ts"

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
        <OfAccount />
      </ForAccount>
    </Page>
  )
}

function OfAccount() {
  const load = useGet<Receivers>("/webhooks/receivers")
  return (
    <>
      <Panel title="Connected providers">
        <LoadedTable
          of={load}
          label="Connected providers"
          rows={({ receivers }) => receivers}
          rowKey={({ receiver_id }) => receiver_id}
          columns={[
            { title: "Provider", cell: ({ provider }) => SENDING_PROVIDERS[provider].name },
            { title: "Last event", cell: ({ last_event_at }) => <Ago at={last_event_at} /> },
            { title: "Events", class: "num", cell: ({ events_accepted }) => count(events_accepted) },
            { title: "Unreadable events", class: "num", cell: ({ events_unreadable }) => count(events_unreadable) },
            { title: "Refused requests", class: "num", cell: ({ requests_refused }) => count(requests_refused) },
            { title: "Created", cell: ({ created_at }) => <Ago at={created_at} /> },
            {
              title: "",
              cell: ({ receiver_id: id, provider }) => (
                <Confirm
                  label="Remove"
                  title={`Remove this URL of ${SENDING_PROVIDERS[provider].name}?`}
                  danger
                  onConfirm={() => change(`/webhooks/receivers/${id}`, { method: "DELETE" }, load.reload)}
                >
                  <p>It stops working at once. Events that were counted stay.</p>
                </Confirm>
              ),
            },
          ]}
          empty={<p class="soft">None yet. Create a URL below and enter it at your provider.</p>}
        />
      </Panel>
      <AddReceiver onAdded={load.reload} />
    </>
  )
}

/** A form that creates the URL to enter at a sending provider. */
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

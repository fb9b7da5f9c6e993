import { useState } from "preact/hooks"
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
            { title: "Provider", cell: ({ provider }) => PROVIDERS[provider].name },
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
                  title={`Remove this URL of ${PROVIDERS[provider].name}?`}
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
  const { name, secret: label, hint } = PROVIDERS[provider]
  const form = useForm(
    { secret: { label, hint } },
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

interface Provider {
  readonly name: string
  /** The label of the field with the secret of its scheme. */
  readonly secret: string
  readonly hint: string
}

/** The sending providers, and where the secret that proves their events is found. */
const PROVIDERS: Readonly<Record<InboundProvider, Provider>> = {
  sendgrid: {
    name: "SendGrid",
    secret: "Verification key",
    hint: "At SendGrid: Settings, Mail Settings, Event Webhook, Signature Verification.",
  },
  mailgun: {
    name: "Mailgun",
    secret: "Webhook signing key",
    hint: "At Mailgun: Settings, API security, HTTP webhook signing key.",
  },
  postmark: {
    name: "Postmark",
    secret: "User and password",
    hint: "Of your choice, as user:password. Leave it empty, and we choose them.",
  },
  ses: {
    name: "Amazon SES",
    secret: "ARN of the SNS topic",
    hint: "At Amazon: SNS, Topics. It starts with arn:aws:sns:",
  },
}

const OPTIONS = Object.entries(PROVIDERS).map(
  ([provider, { name }]) => [provider, name] as const,
) as readonly (readonly [InboundProvider, string])[]

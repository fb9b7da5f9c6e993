import { useState } from "preact/hooks"
import { SENDING_PROVIDERS } from "../../../../schema/sending-providers.ts"
import type { InboundProvider } from "../../../../schema/vocabulary.ts"
import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { NewReceiver } from "../../api/shapes.ts"
import { OneTimeSecret } from "../../parts/dialog.tsx"
import { Field, Select, SubmitButton } from "../../parts/field.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"

const OPTIONS = Object.entries(SENDING_PROVIDERS).map(
  ([provider, { name }]) => [provider, name] as const,
) as readonly (readonly [InboundProvider, string])[]

/** A form that creates the URL to enter at a sending provider. */
export function AddReceiver({ onAdded }: { onAdded: () => void }) {
  const [provider, setProvider] = useState<InboundProvider>("sendgrid")
  const [secret, setSecret] = useState("")
  const [created, setCreated] = useState<NewReceiver | null>(null)
  const { name, secret: words } = SENDING_PROVIDERS[provider]
  const { busy, problem, run } = useAction(async () => {
    const json = { provider, secret: secret.trim() || null }
    const answer = await call<NewReceiver>("/webhooks/receivers", { method: "POST", json })
    if (!answer.ok) return { ...answer.problem, message: answer.problem.message.replace("secret", words.label) }
    setSecret("")
    setCreated(answer.body)
    onAdded()
    return null
  })
  return (
    <Panel title="Connect a provider">
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        <Select label="Provider" value={provider} options={OPTIONS} onValue={setProvider} />
        <Field label={words.label} hint={`${name}: ${words.where}.`} value={secret} onValue={setSecret} />
        <div>
          <SubmitButton label="Create the URL" busy={busy} />
        </div>
        <ProblemNotice problem={problem} />
      </form>
      {created && (
        <OneTimeSecret title={`Enter this URL at ${name}`} secret={created.url} onClose={() => setCreated(null)} />
      )}
    </Panel>
  )
}

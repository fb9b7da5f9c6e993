import { useEffect, useState } from "preact/hooks"
import type { IntegrationProvider } from "../../../../schema/vocabulary.ts"
import { change } from "../../api/call.ts"
import { useGet } from "../../api/load.ts"
import type { IntegrationState, TestedIntegration } from "../../api/shapes.ts"
import { cleanSecret } from "../../api/storage.ts"
import { ActionButton } from "../../parts/buttons.tsx"
import { Select } from "../../parts/field.tsx"
import { type FieldSpec, Form, useForm } from "../../parts/form.tsx"
import { Empty, Notice } from "../../parts/notice.tsx"
import { Loaded, Panel, page } from "../../parts/page.tsx"
import { useChoice } from "../../route.ts"
import { IntegrationCard, Tested } from "./integration-card.tsx"
import { isRunning, PROVIDERS } from "./providers.ts"

const POLL_MS = 2_000

export const IntegrationsPage = page(Integrations, {
  title: "Integrations",
  lead: "Tools whose contacts are verified, and tools that receive your messages.",
  access: "account",
})

function Integrations() {
  const load = useGet<{ integrations: readonly IntegrationState[] }>("/integrations/status")
  const { reload } = load
  const states = load.state === "ready" ? load.value : null
  useEffect(() => {
    if (!states?.integrations.some(isRunning)) return
    const timer = setTimeout(reload, POLL_MS)
    return () => clearTimeout(timer)
  }, [states])
  return (
    <>
      <Loaded of={load}>
        {({ integrations }) =>
          integrations.length === 0 ? (
            <Empty title="No integrations yet" text="Connect a tool below to verify its contacts where they are." />
          ) : (
            integrations.map((one) => <IntegrationCard key={one.integration_id} of={one} onChange={reload} />)
          )
        }
      </Loaded>
      <Connect onConnected={reload} />
    </>
  )
}

const NAMES = Object.keys(PROVIDERS) as IntegrationProvider[]
const OPTIONS = NAMES.map((name) => [name, PROVIDERS[name].title] as const)

/** Connects a provider. Its form is new for each provider, so that no secret goes to another. */
function Connect({ onConnected }: { onConnected: () => void }) {
  const [choice, choose] = useChoice("provider")
  const [connected, setConnected] = useState<string | null>(null)
  const provider = NAMES.find((one) => one === choice) ?? "hubspot"
  return (
    <Panel title="Connect a tool">
      <Select label="Tool" value={provider} options={OPTIONS} onValue={choose} />
      <p class="soft">{PROVIDERS[provider].purpose}</p>
      <ConnectForm
        key={provider}
        provider={provider}
        onConnected={(name) => {
          setConnected(name)
          onConnected()
        }}
      />
      {connected && <Notice tone="valid" title={`${connected} is connected`} />}
    </Panel>
  )
}

interface ConnectFormProps {
  readonly provider: IntegrationProvider
  readonly onConnected: (name: string) => void
}

function ConnectForm({ provider, onConnected }: ConnectFormProps) {
  const { title, fields, isTestedAfterConnecting = false } = PROVIDERS[provider]
  const [tested, setTested] = useState<TestedIntegration | null>(null)
  const specs: Readonly<Record<string, FieldSpec>> = Object.fromEntries(
    fields.map(({ name, part, isSecret, isRequired = false, ...field }) => [
      name,
      { ...field, required: isRequired, ...(isSecret ? { kind: "secret" } : {}) },
    ]),
  )
  const form = useForm(
    { name: { label: "Name", placeholder: title }, ...specs },
    ({ name, ...values }, labels) => {
      setTested(null)
      const json = { ...connectionOf(provider, values), name: name || title, verify: true }
      return change<{ name: string }>("/integrations", { method: "POST", json, labels }, (made) =>
        onConnected(made.name),
      )
    },
    { resets: "all" },
  )
  function test() {
    setTested(null)
    form.clearProblem()
    const labels = Object.fromEntries(fields.map(({ name, label }) => [name, label]))
    const json = connectionOf(provider, form.values)
    return change<TestedIntegration>("/integrations/test", { method: "POST", json, labels }, setTested)
  }
  return (
    <>
      <Form
        of={form}
        submit="Connect"
        busyLabel="Connecting"
        layout="grid"
        beside={
          <>
            {!isTestedAfterConnecting && (
              <ActionButton key={String(form.busy)} label="Test first" busyLabel="Testing" isOfForm onAct={test} />
            )}
            <span class="soft small">The credentials are stored encrypted and never shown again.</span>
          </>
        }
      />
      {tested && <Tested tested={tested} />}
    </>
  )
}

/** The body of a test or a new integration. Empty fields are left out: the API has defaults for them. */
function connectionOf(provider: IntegrationProvider, values: Readonly<Record<string, string>>) {
  const typed = (part: "credentials" | "settings") =>
    Object.fromEntries(
      PROVIDERS[provider].fields
        .filter((field) => field.part === part)
        .map(({ name, isSecret }) => [name, isSecret ? cleanSecret(values[name] ?? "") : (values[name] ?? "").trim()])
        .filter(([, value]) => value !== ""),
    )
  return { provider, credentials: typed("credentials"), settings: typed("settings") }
}

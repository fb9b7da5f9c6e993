import { useState } from "preact/hooks"
import type { IntegrationProvider } from "../../../../schema/vocabulary.ts"
import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { TestedIntegration } from "../../api/shapes.ts"
import { Field, Select, SubmitButton } from "../../parts/field.tsx"
import { Notice, ProblemNotice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { useChoice } from "../../route.ts"
import { connectionOf, labelsOf, type Values } from "./connection.ts"
import { PROVIDERS } from "./providers.ts"
import { Tested } from "./tested.tsx"

const NAMES = Object.keys(PROVIDERS) as IntegrationProvider[]
const OPTIONS = NAMES.map((name) => [name, PROVIDERS[name].title] as const)

/** Connects a provider. Its form is new for each provider, so that no secret goes to another. */
export function Connect({ onConnected }: { onConnected: () => void }) {
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
  const [name, setName] = useState("")
  const [values, setValues] = useState<Values>({})
  const [tested, setTested] = useState<TestedIntegration | null>(null)
  const connection = connectionOf(provider, values)
  const labels = labelsOf(provider)
  const test = useAction(async () => {
    setTested(null)
    connect.clearProblem()
    const answer = await call<TestedIntegration>("/integrations/test", { method: "POST", json: connection, labels })
    if (answer.ok) setTested(answer.body)
    return answer.ok ? null : answer.problem
  })
  const connect = useAction(async () => {
    setTested(null)
    test.clearProblem()
    const json = { ...connection, name: name.trim() || title, verify: true }
    const answer = await call<{ name: string }>("/integrations", { method: "POST", json, labels })
    if (!answer.ok) return answer.problem
    setValues({})
    setName("")
    onConnected(answer.body.name)
    return null
  })
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void connect.run()
      }}
    >
      <div class="form-grid">
        <Field label="Name" placeholder={title} value={name} onValue={setName} />
        {fields.map(({ name: field, label, hint, placeholder, options, isSecret = false, isRequired = false }) => {
          const onValue = (value: string) => setValues({ ...values, [field]: value })
          const value = values[field] ?? options?.[0]?.[0] ?? ""
          return options ? (
            <Select key={field} label={label} value={value} options={options} onValue={onValue} />
          ) : (
            <Field
              key={field}
              label={label}
              value={value}
              onValue={onValue}
              kind={isSecret ? "secret" : "text"}
              required={isRequired}
              {...(hint ? { hint } : {})}
              {...(placeholder ? { placeholder } : {})}
            />
          )
        })}
      </div>
      <div class="row">
        <SubmitButton label="Connect" busy={connect.busy} busyLabel="Connecting" />
        {!isTestedAfterConnecting && (
          <button
            type="button"
            class="button"
            aria-disabled={test.busy}
            onClick={(event) => event.currentTarget.form?.reportValidity() && void test.run()}
          >
            {test.busy ? "Testing" : "Test first"}
          </button>
        )}
        <span class="soft small">The credentials are stored encrypted and never shown again.</span>
      </div>
      <ProblemNotice problem={connect.problem ?? test.problem} />
      {tested && <Tested tested={tested} />}
    </form>
  )
}

import { useEffect, useState } from "preact/hooks"
import type { IntegrationProvider } from "../../../../schema/vocabulary.ts"
import { change, useGet, usePaged } from "../../api/call.ts"
import type { IntegrationEvents, IntegrationState, IntegrationSync, TestedIntegration } from "../../api/shapes.ts"
import { ActionButton, Button, Confirm, Dialog } from "../../parts/buttons.tsx"
import { DataTable, LoadedTable } from "../../parts/data-table.tsx"
import { Select } from "../../parts/field.tsx"
import { type FieldSpec, Form, useForm } from "../../parts/form.tsx"
import { Loaded, Panel, page } from "../../parts/page.tsx"
import { Ago, Badge, Empty, Notice, withNote } from "../../parts/text.tsx"
import { useChoice } from "../../route.ts"
import { count, milliseconds, plain } from "../../words.ts"
import {
  connectionOf,
  HEALTHS,
  isRunning,
  OUTCOMES,
  PROVIDERS,
  SYNC_STATES,
  syncCounts,
  syncReason,
} from "./providers.ts"

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
        onDone={(name) => {
          setConnected(name)
          onConnected()
        }}
      />
      {connected && <Notice tone="valid" title={`${connected} is connected`} />}
    </Panel>
  )
}

function ConnectForm({ provider, onDone }: { provider: IntegrationProvider; onDone: (name: string) => void }) {
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
      return change<{ name: string }>("/integrations", { method: "POST", json, labels }, (made) => onDone(made.name))
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

/** An integration: how it is, its sync, and what can be done with it. */
export function IntegrationCard({ of: integration, onChange }: { of: IntegrationState; onChange: () => void }) {
  const { integration_id, provider, name, health, last_answer_at, last_failure, sync } = integration
  const isUnnamed = name.toLowerCase() === provider
  const [tone, title, meaning] = HEALTHS[health]
  const [tested, setTested] = useState<TestedIntegration | null>(null)
  const [isOpen, setOpen] = useState(false)
  async function test() {
    setTested(null)
    const json = { integration_id }
    const problem = await change<TestedIntegration>("/integrations/test", { method: "POST", json }, setTested)
    onChange()
    return problem
  }
  return (
    <section class="panel" aria-label={name}>
      <div class="panel-head">
        <h2 class="break">{isUnnamed ? PROVIDERS[provider].title : name}</h2>
        <div class="row">
          {!isUnnamed && <span class="soft small">{PROVIDERS[provider].title}</span>}
          <Badge tone={tone}>{title}</Badge>
        </div>
      </div>
      <p>{meaning}</p>
      <p class="soft small break">
        Last answer: <Ago at={last_answer_at} />.
        {last_failure && (
          <>
            {" "}
            Last failure: <Ago at={last_failure.at} />, {OUTCOMES[last_failure.outcome].toLowerCase()}
            {last_failure.http_status !== null && ` (status ${last_failure.http_status})`}
            {last_failure.detail && `: ${last_failure.detail}`}.
          </>
        )}
      </p>
      {sync && <SyncProgress sync={sync} />}
      <div class="row">
        {PROVIDERS[provider].hasContacts && <StartSync of={integration} onChange={onChange} />}
        <ActionButton label="Test" busyLabel="Testing" class="button quiet" onAct={test} />
        <Remove of={integration} onChange={onChange} />
      </div>
      {tested && <Tested tested={tested} />}
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary class="small">Events</summary>
        {isOpen && <Events integrationId={integration_id} name={name} />}
      </details>
    </section>
  )
}

function SyncProgress({ sync }: { sync: IntegrationSync }) {
  const reason = syncReason(sync)
  return (
    <div class="sync">
      <p role="status">
        <b>{SYNC_STATES[sync.state]}</b>
        {sync.state === "waiting" && sync.next_attempt_at && (
          <>
            , continues <Ago at={sync.next_attempt_at} />
          </>
        )}
        {sync.completed_at && (
          <>
            {" "}
            <Ago at={sync.completed_at} />
          </>
        )}
      </p>
      <p class="small">{syncCounts(sync)}</p>
      {reason && <p class="small soft break">{reason}</p>}
    </div>
  )
}

function StartSync({ of: integration, onChange }: { of: IntegrationState; onChange: () => void }) {
  const { integration_id, provider, sync } = integration
  if (isRunning(integration)) return null
  const start = (restart: boolean) =>
    change(`/integrations/${provider}/sync`, { method: "POST", json: { integration_id, restart } }, onChange)
  const hasStopped = sync?.state === "failed" || sync?.state === "out_of_credits"
  const cost = <p>Each verification costs a credit. Cached results are free.</p>
  return (
    <>
      {hasStopped && (
        <Confirm label="Resume" title="Resume where it stopped?" onConfirm={() => start(false)}>
          {cost}
        </Confirm>
      )}
      <Confirm
        label={hasStopped ? "Start over" : "Verify contacts"}
        title={`Verify the contacts of ${integration.name}?`}
        onConfirm={() => start(true)}
      >
        <p>{PROVIDERS[provider].purpose}</p>
        {cost}
      </Confirm>
    </>
  )
}

/** Removes an integration, and names the sync that this ended. */
function Remove({ of: integration, onChange }: { of: IntegrationState; onChange: () => void }) {
  const [ended, setEnded] = useState<IntegrationSync | null>(null)
  const path = `/integrations/${encodeURIComponent(integration.integration_id)}`
  const remove = () =>
    change<{ ended_sync: IntegrationSync | null }>(path, { method: "DELETE" }, ({ ended_sync }) => {
      if (ended_sync) setEnded(ended_sync)
      else onChange()
    })
  return (
    <>
      <Confirm label="Remove" title={`Remove ${integration.name}?`} danger onConfirm={remove}>
        <p>Its credentials, syncs and events are deleted. What is written at the provider stays there.</p>
        {isRunning(integration) && <p>Its sync is under way. It ends here.</p>}
      </Confirm>
      {ended && (
        <Dialog title="Removed, and its sync has ended" onClose={onChange}>
          <p>When it ended: {syncCounts(ended)}. Written contacts stay written.</p>
          <div>
            <Button label="Close" class="button primary" onClick={onChange} />
          </div>
        </Dialog>
      )}
    </>
  )
}

function Events({ integrationId, name }: { integrationId: string; name: string }) {
  const load = usePaged<IntegrationEvents>(`/integrations/${integrationId}/events`, { limit: "20" })
  return (
    <LoadedTable
      of={load}
      label={`Events of ${name}`}
      rows={({ events }) => events}
      rowKey={({ event_id }) => event_id}
      columns={[
        ["Event", ({ kind }) => plain(kind)],
        [
          "Outcome",
          ({ outcome, detail }) =>
            withNote(<Badge tone={outcome === "ok" ? "valid" : "invalid"}>{OUTCOMES[outcome]}</Badge>, detail),
        ],
        ["Contacts", ({ contacts }) => count(contacts), "num"],
        ["Time", ({ duration_ms }) => milliseconds(duration_ms), "num nowrap"],
        ["When", ({ created_at }) => <Ago at={created_at} />, "nowrap"],
      ]}
      empty={<p class="soft">No events yet.</p>}
    />
  )
}

/** The result of a test with the requests that it made. */
export const Tested = ({ tested: { account, elapsed_ms, requests } }: { tested: TestedIntegration }) => (
  <div class="stack">
    <Notice tone="valid" title="The test succeeded">
      <p class="break">
        {account ? `Account at the provider: ${account}. ` : ""}It took {milliseconds(elapsed_ms)}.
      </p>
    </Notice>
    <DataTable
      label="Requests of the test"
      rows={requests}
      rowKey={({ method, url, elapsed_ms }) => `${method} ${url} ${elapsed_ms}`}
      columns={[
        ["Request", ({ method, url }) => <code>{`${method} ${url}`}</code>, "break"],
        ["Status", ({ http_status }) => http_status ?? "none", "num"],
        ["Time", ({ elapsed_ms }) => milliseconds(elapsed_ms), "num nowrap"],
      ]}
    />
  </div>
)

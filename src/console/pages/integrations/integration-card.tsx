import { useState } from "preact/hooks"
import { change } from "../../api/call.ts"
import { usePaged } from "../../api/load.ts"
import type {
  IntegrationEvents,
  IntegrationState,
  IntegrationSync,
  RemovedIntegration,
  TestedIntegration,
} from "../../api/shapes.ts"
import { ActionButton, Button } from "../../parts/buttons.tsx"
import { DataTable, LoadedTable } from "../../parts/data-table.tsx"
import { Confirm, Dialog } from "../../parts/dialog.tsx"
import { Notice } from "../../parts/notice.tsx"
import { Ago, Badge, withNote } from "../../parts/text.tsx"
import { count, milliseconds, plain } from "../../words.ts"
import { HEALTHS, isRunning, OUTCOMES, PROVIDERS, SYNC_STATES, syncCounts, syncReason } from "./providers.ts"

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

/** The newest sync with its counts. */
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

/** Starts a sync, or resumes a stopped one. */
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
  const [ended, setEnded] = useState<RemovedIntegration["ended_sync"]>(null)
  const path = `/integrations/${encodeURIComponent(integration.integration_id)}`
  const remove = () =>
    change<RemovedIntegration>(path, { method: "DELETE" }, ({ ended_sync }) => {
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
        { title: "Event", cell: ({ kind }) => plain(kind) },
        {
          title: "Outcome",
          cell: ({ outcome, detail }) =>
            withNote(<Badge tone={outcome === "ok" ? "valid" : "invalid"}>{OUTCOMES[outcome]}</Badge>, detail),
        },
        { title: "Contacts", class: "num", cell: ({ contacts }) => count(contacts) },
        { title: "Time", class: "num nowrap", cell: ({ duration_ms }) => milliseconds(duration_ms) },
        { title: "When", class: "nowrap", cell: ({ created_at }) => <Ago at={created_at} /> },
      ]}
      empty={<p class="soft">No events yet.</p>}
    />
  )
}

/** The result of a test with the requests that it made. */
export function Tested({ tested: { account, elapsed_ms, requests } }: { tested: TestedIntegration }) {
  return (
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
          { title: "Request", class: "break", cell: ({ method, url }) => <code>{`${method} ${url}`}</code> },
          { title: "Status", class: "num", cell: ({ http_status }) => http_status ?? "none" },
          { title: "Time", class: "num nowrap", cell: ({ elapsed_ms }) => milliseconds(elapsed_ms) },
        ]}
      />
    </div>
  )
}

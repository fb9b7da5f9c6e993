import { call } from "../../api/call.ts"
import type { IntegrationState, IntegrationSync } from "../../api/shapes.ts"
import { Confirm } from "../../parts/dialog.tsx"
import { Ago } from "../../parts/text.tsx"
import { PROVIDERS } from "./providers.ts"
import { isRunning, SYNC_STATES, syncCounts, syncReason } from "./words.ts"

/** The newest sync with its counts. */
export function SyncProgress({ sync }: { sync: IntegrationSync }) {
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

interface StartSyncProps {
  readonly of: IntegrationState
  readonly onChange: () => void
}

/** Starts a sync, or resumes a stopped one. */
export function StartSync({ of: integration, onChange }: StartSyncProps) {
  const { integration_id, provider, sync } = integration
  if (isRunning(integration)) return null
  async function start(restart: boolean) {
    const answer = await call(`/integrations/${provider}/sync`, { method: "POST", json: { integration_id, restart } })
    if (!answer.ok) return answer.problem
    onChange()
    return null
  }
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

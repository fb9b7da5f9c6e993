import { useState } from "preact/hooks"
import { call, type Problem } from "../../api/call.ts"
import type { IntegrationState, RemovedIntegration } from "../../api/shapes.ts"
import { Confirm, Dialog } from "../../parts/dialog.tsx"
import { isRunning, syncCounts } from "./words.ts"

/** Removes an integration, and names the sync that this ended. */
export function Remove({ of: integration, onChange }: { of: IntegrationState; onChange: () => void }) {
  const [ended, setEnded] = useState<RemovedIntegration["ended_sync"]>(null)
  async function remove(): Promise<Problem | null> {
    const path = `/integrations/${encodeURIComponent(integration.integration_id)}`
    const answer = await call<RemovedIntegration>(path, { method: "DELETE" })
    if (!answer.ok) return answer.problem
    if (answer.body.ended_sync) setEnded(answer.body.ended_sync)
    else onChange()
    return null
  }
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
            <button type="button" class="button primary" onClick={onChange}>
              Close
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}

import { useEffect } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { IntegrationState } from "../../api/shapes.ts"
import { Empty } from "../../parts/notice.tsx"
import { ForAccount, Loaded, Page } from "../../parts/page.tsx"
import { Connect } from "./connect.tsx"
import { IntegrationCard } from "./integration-card.tsx"
import { isRunning } from "./words.ts"

const POLL_MS = 2_000

export function IntegrationsPage() {
  return (
    <Page title="Integrations" lead="Tools whose contacts are verified, and tools that receive your messages.">
      <ForAccount>
        <Integrations />
      </ForAccount>
    </Page>
  )
}

function Integrations() {
  const load = useLoad("integrations", (signal) =>
    call<{ integrations: readonly IntegrationState[] }>("/integrations/status", { signal }),
  )
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
            <Empty title="No integrations yet">
              <p>Connect a tool below to verify its contacts where they are.</p>
            </Empty>
          ) : (
            integrations.map((one) => <IntegrationCard key={one.integration_id} of={one} onChange={reload} />)
          )
        }
      </Loaded>
      <Connect onConnected={reload} />
    </>
  )
}

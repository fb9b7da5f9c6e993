import { call } from "../../api/call.ts"
import { type Load, useLoad } from "../../api/load.ts"
import type { Health, RegionHealth } from "../../api/shapes.ts"
import { Loaded } from "../../parts/loaded.tsx"
import { Empty } from "../../parts/notice.tsx"
import { Page, Panel } from "../../parts/page.tsx"
import { OperatorNeeded } from "../../parts/sign-in-needed.tsx"
import { Tiles } from "../../parts/tiles.tsx"
import { useSession } from "../../session.tsx"
import { milliseconds } from "../../words.ts"
import { AddNode } from "./add-node.tsx"
import { NodeCard } from "./node-card.tsx"
import { RegionMap } from "./region-map.tsx"
import { RouteFinder } from "./route-finder.tsx"
import { FleetTabs } from "./tabs.tsx"

export function FleetPage() {
  const { isOperator, account } = useSession()
  const load = useLoad("regions", (signal) =>
    call<{ regions: readonly RegionHealth[] }>("/regions/health", { signal, asOperator: true }),
  )
  const health = useLoad("health", (signal) => call<Health>("/health", { signal }))
  function refresh() {
    load.reload()
    health.reload()
  }
  return (
    <Page
      title="Fleet"
      lead="The probe nodes that connect to mail servers, with their location and state: your own, or all for the operator."
      actions={
        <>
          <button type="button" class="button" onClick={refresh}>
            Refresh
          </button>
          {(isOperator || account) && <AddNode onAdded={refresh} />}
        </>
      }
    >
      <FleetTabs current="fleet" />
      <Service of={health} />
      <Loaded of={load} forOperator>
        {({ regions }) => (
          <>
            {regions.length === 0 ? <NoNodes isOperator={isOperator} /> : <RegionMap regions={regions} />}
            {regions.map(({ region, probes }) => (
              <Panel key={region} title={region}>
                {probes.map((node) => (
                  <NodeCard key={node.id} node={node} onChange={refresh} />
                ))}
              </Panel>
            ))}
            <RouteFinder />
            {!isOperator && <OperatorNeeded onDone={refresh} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function NoNodes({ isOperator }: { isOperator: boolean }) {
  return isOperator ? (
    <Empty title="No probe nodes">
      <p>Without a node no mail server can be probed. Add one above.</p>
    </Empty>
  ) : (
    <Empty title="No nodes of your own">
      <p>
        Your account uses the shared nodes, and their state is shown to the operator. You can add nodes of your own.
      </p>
    </Empty>
  )
}

function Service({ of: load }: { of: Load<Health> }) {
  return (
    <Loaded of={load} lines={2}>
      {({ status, version, database, probe_nodes }) => (
        <Tiles
          tiles={[
            { name: "Service", value: status === "ok" ? "OK" : "Degraded", note: `API version ${version}` },
            {
              name: "Database",
              value: database.reachable ? milliseconds(database.ms) : "No response",
              note: "for a test query",
            },
            { name: "Probe nodes", value: probe_nodes, note: "available" },
          ]}
        />
      )}
    </Loaded>
  )
}

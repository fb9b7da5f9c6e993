import { call } from "../../api/call.ts"
import { type Load, useLoad } from "../../api/load.ts"
import type { Health, RegionHealth } from "../../api/shapes.ts"
import { Loaded } from "../../parts/loaded.tsx"
import { Empty } from "../../parts/notice.tsx"
import { Page, Panel } from "../../parts/page.tsx"
import { Tiles } from "../../parts/tiles.tsx"
import { milliseconds } from "../../words.ts"
import { NodeCard } from "./node-card.tsx"
import { RegionMap } from "./region-map.tsx"
import { RouteFinder } from "./route-finder.tsx"

export function FleetPage() {
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
      lead="The probe nodes that speak with mail servers, where they are and how they are."
      actions={
        <button type="button" class="button" onClick={refresh}>
          Refresh
        </button>
      }
    >
      <Service of={health} />
      <Loaded of={load} forOperator>
        {({ regions }) =>
          regions.length === 0 ? (
            <Empty title="No probe nodes">
              <p>Without one no mail server can be asked. The operator adds nodes with PROBE_NODES or a fleet token.</p>
            </Empty>
          ) : (
            <>
              <RegionMap regions={regions} />
              {regions.map(({ region, probes }) => (
                <Panel key={region} title={region}>
                  {probes.map((node) => (
                    <NodeCard key={node.id} node={node} />
                  ))}
                </Panel>
              ))}
              <RouteFinder />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function Service({ of: load }: { of: Load<Health> }) {
  return (
    <Loaded of={load} lines={2}>
      {({ status, version, database, probe_nodes }) => (
        <Tiles
          tiles={[
            { name: "Service", value: status === "ok" ? "In order" : "Degraded", note: `interface ${version}` },
            {
              name: "Database",
              value: database.reachable ? milliseconds(database.ms) : "No answer",
              note: "for a small question",
            },
            { name: "Probe nodes", value: probe_nodes, note: "that may be asked" },
          ]}
        />
      )}
    </Loaded>
  )
}

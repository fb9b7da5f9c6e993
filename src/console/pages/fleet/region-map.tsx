import type { RegionHealth } from "../../api/shapes.ts"
import { Badge } from "../../parts/badge.tsx"
import { count, plain } from "../../words.ts"
import { STATE_TONES } from "./states.ts"

/** An overview of all nodes: a box for each region, a dot for each node. */
export function RegionMap({ regions }: { regions: readonly RegionHealth[] }) {
  return (
    <ul class="regions" aria-label="Regions">
      {regions.map(({ region, status, nodes, usable, capacity, probes }) => (
        <li key={region} class="panel">
          <div class="panel-head">
            <b>{region}</b>
            <Badge tone={STATE_TONES[status]}>{plain(status)}</Badge>
          </div>
          <div class="node-dots" role="img" aria-label={`${usable} of ${nodes} nodes available`}>
            {probes.map(({ id, state }) => (
              <i key={id} class={`tone-${STATE_TONES[state]}`} title={`${id}: ${state}`} />
            ))}
          </div>
          <p class="soft small">
            {usable} of {nodes} available, up to {count(capacity)} concurrent sessions
          </p>
        </li>
      ))}
    </ul>
  )
}

import type { NodeHealth } from "../../api/shapes.ts"
import { Badge } from "../../parts/badge.tsx"
import { Ago } from "../../parts/moment.tsx"
import { milliseconds, percent, plain } from "../../words.ts"
import { Doctor } from "./doctor.tsx"
import { STATE_TONES } from "./states.ts"

export function NodeCard({ node }: { node: NodeHealth }) {
  const { id, state, reason, since, blocked_by: blockedBy } = node
  return (
    <article class="node">
      <div class="row">
        <h3>{id}</h3>
        <Badge tone={STATE_TONES[state]}>{plain(state)}</Badge>
        {since && (
          <span class="soft small">
            since <Ago at={since} />
          </span>
        )}
      </div>
      {reason && <p>{plain(reason)}.</p>}
      <dl class="node-facts">
        {factsOf(node).map(([name, words]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{words}</dd>
          </div>
        ))}
        <div>
          <dt>Last check</dt>
          <dd>
            <Ago at={node.checked_at} />
          </dd>
        </div>
      </dl>
      {blockedBy.length > 0 && <p class="small">Blocked by {blockedBy.join(", ")}</p>}
      <Doctor of={node} />
    </article>
  )
}

function factsOf({ load, rtt_ms, clock_skew_ms, version }: NodeHealth): (readonly [string, string])[] {
  return [
    ["Load", percent(load, 0)],
    ["Response time", rtt_ms === null ? "unknown" : milliseconds(rtt_ms)],
    ["Clock skew", clock_skew_ms === null ? "unknown" : `${clock_skew_ms} ms`],
    ["Version", version ?? "unknown"],
  ]
}

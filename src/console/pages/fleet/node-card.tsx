import { call, type Problem } from "../../api/call.ts"
import type { NodeHealth } from "../../api/shapes.ts"
import { Badge } from "../../parts/badge.tsx"
import { Confirm } from "../../parts/confirm.tsx"
import { Ago } from "../../parts/moment.tsx"
import { count, milliseconds, percent, plain } from "../../words.ts"
import { Doctor } from "./doctor.tsx"
import { STATE_TONES } from "./states.ts"

interface NodeCardProps {
  readonly node: NodeHealth
  readonly onChange: () => void
}

export function NodeCard({ node, onChange }: NodeCardProps) {
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
        <DrainSwitch node={node} onChange={onChange} />
        <Remove node={node} onChange={onChange} />
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

function DrainSwitch({ node: { id, draining_since: drainingSince }, onChange }: NodeCardProps) {
  const isDraining = drainingSince !== null
  async function change(): Promise<Problem | null> {
    const path = `/fleet/nodes/${encodeURIComponent(id)}/${isDraining ? "resume" : "drain"}`
    const answer = await call(path, { method: "POST", asOperator: true })
    if (!answer.ok) return answer.problem
    onChange()
    return null
  }
  return isDraining ? (
    <Confirm label="Resume" title={`Resume ${id}?`} onConfirm={change}>
      <p>It gets probes again when it is healthy.</p>
    </Confirm>
  ) : (
    <Confirm label="Drain" title={`Drain ${id}?`} onConfirm={change}>
      <p>It gets no new probes, and running ones end. It stays drained until you resume it, also after a restart.</p>
    </Confirm>
  )
}

function Remove({ node: { id }, onChange }: NodeCardProps) {
  async function remove(): Promise<Problem | null> {
    const answer = await call(`/fleet/nodes/${encodeURIComponent(id)}`, { method: "DELETE", asOperator: true })
    if (!answer.ok) return answer.problem
    onChange()
    return null
  }
  return (
    <Confirm label="Remove" title={`Remove ${id}?`} danger onConfirm={remove}>
      <p>It gets no probes any more, and its key is refused. Stop it on its machine afterwards.</p>
    </Confirm>
  )
}

function factsOf({ load, active_sessions, rtt_ms, clock_skew_ms, version }: NodeHealth): (readonly [string, string])[] {
  return [
    ["Load", percent(load, 0)],
    ["SMTP sessions", active_sessions === null ? "unknown" : count(active_sessions)],
    ["Response time", rtt_ms === null ? "unknown" : milliseconds(rtt_ms)],
    ["Clock skew", clock_skew_ms === null ? "unknown" : `${clock_skew_ms} ms`],
    ["Version", version ?? "unknown"],
  ]
}

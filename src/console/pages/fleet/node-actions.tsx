import { call, type Problem } from "../../api/call.ts"
import { Confirm } from "../../parts/dialog.tsx"
import { Panel } from "../../parts/page.tsx"
import { counted } from "../../words.ts"
import type { Node } from "./node.ts"

interface ActionProps {
  readonly node: Node
  readonly onDone: () => void
}

/** Drain or resume, and remove, each with what it means. @param onChange called after a drain or a resume */
export function NodeActions({ node, onChange, onRemove }: { node: Node; onChange: () => void; onRemove: () => void }) {
  return (
    <Panel title="Maintenance">
      <ul class="stack">
        <li class="node-action">
          {node.draining_since === null ? (
            <>
              <p>Before maintenance, drain it: no new probes, and running ones end.</p>
              <Drain node={node} onDone={onChange} />
            </>
          ) : (
            <>
              <p>It gets no new probes. Resume it when the maintenance is done.</p>
              <Resume node={node} onDone={onChange} />
            </>
          )}
        </li>
        <li class="node-action">
          {node.registered.bootstrap ? (
            <p>The setting PROBE_NODES lists this node. To remove it, remove it there.</p>
          ) : (
            <>
              <p>To take it out of the fleet for good, remove it.</p>
              <Remove node={node} onDone={onRemove} />
            </>
          )}
        </li>
      </ul>
    </Panel>
  )
}

async function send({ node, onDone }: ActionProps, method: "POST" | "DELETE", verb = ""): Promise<Problem | null> {
  const answer = await call(`/fleet/nodes/${encodeURIComponent(node.id)}${verb}`, { method, asOperator: true })
  if (!answer.ok) return answer.problem
  onDone()
  return null
}

function Drain(props: ActionProps) {
  const { id, active_sessions: sessions } = props.node
  return (
    <Confirm label="Drain" title={`Drain ${id}?`} onConfirm={() => send(props, "POST", "/drain")}>
      <p>
        It gets no new probes, and running ones end
        {sessions ? ` (${counted(sessions, "SMTP session")} at its last report)` : ""}. Other nodes take over. Without
        another node, mailboxes stay unknown and cost nothing, and lists try them again later.
      </p>
      <p>It stays drained until you resume it, also after a restart.</p>
    </Confirm>
  )
}

function Resume(props: ActionProps) {
  return (
    <Confirm label="Resume" title={`Resume ${props.node.id}?`} onConfirm={() => send(props, "POST", "/resume")}>
      <p>It gets probes again when it is healthy.</p>
    </Confirm>
  )
}

function Remove(props: ActionProps) {
  return (
    <Confirm label="Remove" title={`Remove ${props.node.id}?`} danger onConfirm={() => send(props, "DELETE")}>
      <p>It gets no probes any more, and its key is refused. Stop it on its machine afterwards.</p>
      <p>To use it again, enroll it with a new token.</p>
    </Confirm>
  )
}

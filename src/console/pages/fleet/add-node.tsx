import { useEffect, useState } from "preact/hooks"
import { call, change } from "../../api/call.ts"
import type { FleetToken, NodeState } from "../../api/shapes.ts"
import { Button, Copy } from "../../parts/buttons.tsx"
import { DialogButton } from "../../parts/dialog.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { Badge } from "../../parts/text.tsx"
import { moment, plain } from "../../words.ts"
import { STATE_TONES } from "./fleet-parts.tsx"
import { type NodePlan, stepsFor } from "./node-steps.ts"

const POLL_MS = 3_000

/** A button that leads to a new probe node: its names, a token with the commands to paste, and its arrival. */
export function AddNode({ onAdded }: { onAdded: () => void }) {
  return (
    <DialogButton label="Add a node" title="Add a probe node" class="button primary" onClosed={onAdded}>
      {(close) => <NewNode onClose={close} />}
    </DialogButton>
  )
}

function NewNode({ onClose }: { onClose: () => void }) {
  const [next, setNext] = useState<{ plan: NodePlan; token: FleetToken } | null>(null)
  const form = useForm(
    {
      id: { label: "Name", placeholder: "fra-1", required: true },
      region: { label: "Region", placeholder: "eu-central", required: true },
      host: { label: "Host name", placeholder: "probe1.example.com", required: true },
      sender: {
        label: "Sender address",
        hint: "An existing mailbox of yours; its domain's SPF record must include the machine.",
        placeholder: "probe@example.com",
        kind: "email",
        required: true,
      },
    },
    (plan) =>
      change<FleetToken>("/fleet/tokens", { method: "POST", asOperator: true }, (token) => setNext({ plan, token })),
  )
  if (next)
    return (
      <>
        <Steps {...next} />
        <div>
          <Button label="Close" class="button primary" onClick={onClose} />
        </div>
      </>
    )
  return (
    <>
      <p class="soft">
        The machine needs outgoing port 25, a host name with its address, and the same name as its reverse name (PTR).
      </p>
      <Form of={form} submit="Show the commands" onCancel={onClose} />
    </>
  )
}

function Steps({ plan, token }: { plan: NodePlan; token: FleetToken }) {
  return (
    <>
      <ol class="steps">
        {stepsFor(plan, token).map(({ title, command }) => (
          <li key={title}>
            {title}
            <div class="command">
              <code class="break">{command}</code>
              <Copy text={command} />
            </div>
          </li>
        ))}
      </ol>
      <p class="soft small">
        The token works once, until {moment(token.expires_at)}.{" "}
        {token.shared ? "The node will serve all accounts." : "The node will serve your account only."}
      </p>
      <Arrival nodeId={plan.id} />
    </>
  )
}

interface Nodes {
  readonly nodes: readonly { readonly id: string; readonly state: NodeState; readonly reason: string | null }[]
}

/** Waits for the node, and shows how it is. */
function Arrival({ nodeId }: { nodeId: string }) {
  const [node, setNode] = useState<Nodes["nodes"][number] | null>(null)
  useEffect(() => {
    const abort = new AbortController()
    async function watch() {
      while (!abort.signal.aborted) {
        const answer = await call<Nodes>("/fleet/nodes", { asOperator: true, signal: abort.signal })
        if (answer.ok && !abort.signal.aborted) setNode(answer.body.nodes.find(({ id }) => id === nodeId) ?? null)
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      }
    }
    void watch()
    return () => abort.abort()
  }, [nodeId])
  return (
    <p role="status">
      {node === null ? (
        <span class="soft">Waiting for {nodeId} to enroll …</span>
      ) : (
        <>
          <b>{nodeId} has enrolled.</b> <Badge tone={STATE_TONES[node.state]}>{plain(node.state)}</Badge>{" "}
          {node.reason && <span class="soft">{plain(node.reason)}.</span>}
        </>
      )}
    </p>
  )
}

import { useEffect, useState } from "preact/hooks"
import { call, change } from "../../api/call.ts"
import type { FleetToken, NodeState } from "../../api/shapes.ts"
import { Button, Command, DialogButton } from "../../parts/buttons.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { Badge } from "../../parts/text.tsx"
import { moment, plain } from "../../words.ts"
import { STATE_TONES } from "./fleet-parts.tsx"

const POLL_MS = 3_000

/** A button that leads to a new probe node: its names, a token with the commands to paste, and its arrival. */
export const AddNode = ({ onAdded }: { onAdded: () => void }) => (
  <DialogButton label="Add a node" title="Add a probe node" class="button primary" onClosed={onAdded}>
    {(close) => <NewNode onClose={close} />}
  </DialogButton>
)

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

const Steps = ({ plan, token }: { plan: NodePlan; token: FleetToken }) => (
  <>
    <ol class="steps">
      {stepsFor(plan, token).map(({ title, command }) => (
        <li key={title}>
          {title}
          <Command text={command} />
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

interface Nodes {
  readonly nodes: readonly { readonly id: string; readonly state: NodeState; readonly reason: string | null }[]
}

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

export interface NodePlan {
  readonly id: string
  readonly region: string
  readonly host: string
  readonly sender: string
}

interface Step {
  readonly title: string
  readonly command: string
}

/**
 * The commands that make a machine a probe node (probe-node/README.md).
 * @param command the service's command, followed by options that name the node; it prompts for the token
 */
export function stepsFor(
  { id, region, host, sender }: NodePlan,
  { command, token }: { readonly command: string; readonly token: string },
): readonly Step[] {
  const begin = command.slice(0, command.indexOf(" --id ")).replace(/^node probe-node\.mjs/, "node dist/probe-node.mjs")
  const name = host.trim()
  const options = [
    ["--id", id.trim()],
    ["--region", region.trim()],
    ["--url", `https://${name}`],
    ["--helo", name],
    ["--mail-from", sender.trim()],
  ]
  const named = options.map(([option, value]) => `${option} ${quoted(value!)}`).join(" ")
  return [
    { title: "In a clone of the repository, build the node:", command: "npm ci && npm run build:node" },
    { title: "Enroll it:", command: `${begin} ${named}` },
    { title: "When it asks for the token, paste this and press Enter:", command: token },
    {
      title: "Check the machine, and start it behind HTTPS:",
      command: "node dist/probe-node.mjs doctor && node dist/probe-node.mjs",
    },
  ]
}

const quoted = (text: string): string => (/^[\w.@:/+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)

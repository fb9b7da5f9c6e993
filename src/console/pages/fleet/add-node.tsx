import { useEffect, useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { FleetToken, NodeState } from "../../api/shapes.ts"
import { Badge } from "../../parts/badge.tsx"
import { Copy } from "../../parts/buttons.tsx"
import { Dialog } from "../../parts/dialog.tsx"
import { Field, SubmitButton } from "../../parts/field.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { moment, plain } from "../../words.ts"
import { type NodePlan, stepsFor } from "./node-steps.ts"
import { STATE_TONES } from "./states.ts"

const EMPTY: NodePlan = { id: "", region: "", host: "", sender: "" }
const POLL_MS = 3_000

/** A button that leads to a new probe node: its names, a token with the commands to paste, and its arrival. */
export function AddNode({ onAdded }: { onAdded: () => void }) {
  const [isOpen, setOpen] = useState(false)
  const [plan, setPlan] = useState(EMPTY)
  const [token, setToken] = useState<FleetToken | null>(null)
  const { busy, problem, run } = useAction(async () => {
    const answer = await call<FleetToken>("/fleet/tokens", { method: "POST", asOperator: true })
    if (answer.ok) setToken(answer.body)
    return answer.ok ? null : answer.problem
  })
  function close() {
    setOpen(false)
    setToken(null)
    setPlan(EMPTY)
    onAdded()
  }
  const set = (change: Partial<NodePlan>) => setPlan({ ...plan, ...change })
  return (
    <>
      <button type="button" class="button primary" onClick={() => setOpen(true)}>
        Add a node
      </button>
      {isOpen && (
        <Dialog title="Add a probe node" onClose={close}>
          {token ? (
            <Steps plan={plan} token={token} />
          ) : (
            <form
              class="stack"
              onSubmit={(event) => {
                event.preventDefault()
                void run()
              }}
            >
              <p class="soft">
                The machine needs outgoing port 25, a host name with its address, and the same name as its reverse name
                (PTR).
              </p>
              <Field label="Name" placeholder="fra-1" value={plan.id} onValue={(id) => set({ id })} required />
              <Field
                label="Region"
                placeholder="eu-central"
                value={plan.region}
                onValue={(region) => set({ region })}
                required
              />
              <Field
                label="Host name"
                placeholder="probe1.example.com"
                value={plan.host}
                onValue={(host) => set({ host })}
                required
              />
              <Field
                label="Sender address"
                hint="An existing mailbox of yours; its domain's SPF record must include the machine."
                placeholder="probe@example.com"
                kind="email"
                value={plan.sender}
                onValue={(sender) => set({ sender })}
                required
              />
              <ProblemNotice problem={problem} />
              <div class="row">
                <SubmitButton label="Show the commands" busy={busy} />
                <button type="button" class="button quiet" onClick={close}>
                  Cancel
                </button>
              </div>
            </form>
          )}
          {token && (
            <div>
              <button type="button" class="button primary" onClick={close}>
                Close
              </button>
            </div>
          )}
        </Dialog>
      )}
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
      <Arrival nodeId={plan.id.trim()} />
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

import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import { Copy } from "../../parts/buttons.tsx"
import { Dialog } from "../../parts/dialog.tsx"
import { Field, SubmitButton } from "../../parts/field.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { moment } from "../../words.ts"
import type { Node } from "./node.ts"

interface NodeKeysProps {
  readonly node: Node
  readonly onChange: () => void
}

/** The keys that a node may sign with, and their rotation. */
export function NodeKeys({ node, onChange }: NodeKeysProps) {
  const [isOpen, setOpen] = useState(false)
  const { bootstrap, key_ids: keyIds } = node.registered
  function close() {
    setOpen(false)
    onChange()
  }
  return (
    <Panel title="Signing keys" note="the node signs each answer with one of these">
      <ul class="stack">
        {keyIds.map((id) => (
          <li key={id}>
            <code class="break">{id}</code>
          </li>
        ))}
      </ul>
      {bootstrap ? (
        <p class="soft small">The setting PROBE_NODES holds its keys. Rotate them there.</p>
      ) : (
        <div>
          <button type="button" class="button" onClick={() => setOpen(true)}>
            Rotate the key
          </button>
        </div>
      )}
      {isOpen && <Rotate id={node.id} onClose={close} />}
    </Panel>
  )
}

const LABELS = { public_key: "Public key" }

/** The steps of a rotation. The last one appears when the new key is registered. */
function Rotate({ id, onClose }: { id: string; onClose: () => void }) {
  const [key, setKey] = useState("")
  const [until, setUntil] = useState<string | null>(null)
  const { busy, problem, run } = useAction(async () => {
    const init = { method: "POST", json: { public_key: key.trim() }, asOperator: true, labels: LABELS } as const
    const answer = await call<{ old_keys_until: string }>(`/fleet/nodes/${encodeURIComponent(id)}/keys`, init)
    if (answer.ok) setUntil(answer.body.old_keys_until)
    return answer.ok ? null : answer.problem
  })
  const command = `node dist/probe-node.mjs keygen ${id}.${new Date().toISOString().slice(0, 10)}`
  return (
    <Dialog title={`Rotate the key of ${id}`} onClose={onClose}>
      <ol class="steps">
        <li>
          On the node's machine, generate a key pair:
          <div class="command">
            <code class="break">{command}</code>
            <Copy text={command} />
          </div>
        </li>
        <li>
          {until === null ? (
            <form
              class="stack"
              onSubmit={(event) => {
                event.preventDefault()
                void run()
              }}
            >
              <span>Register its public half here. The secret half stays on the machine.</span>
              <Field label="Public key" placeholder={`${id}.2027:…`} value={key} onValue={setKey} required />
              <ProblemNotice problem={problem} />
              <div class="row">
                <button type="button" class="button" onClick={onClose}>
                  Cancel
                </button>
                <SubmitButton label="Register the key" busy={busy} />
              </div>
            </form>
          ) : (
            <b>The new key is registered.</b>
          )}
        </li>
        <li>
          Put the secret half into <code>PROBE_SIGNING_KEY</code> of the node's <code>probe.env</code>, and restart the
          node.{" "}
          {until === null ? "The old key works for another 24 hours." : `The old key works until ${moment(until)}.`}
        </li>
      </ol>
      {until !== null && (
        <div>
          <button type="button" class="button primary" onClick={onClose}>
            Done
          </button>
        </div>
      )}
    </Dialog>
  )
}

import { useState } from "preact/hooks"
import { change } from "../../api/call.ts"
import { Button, Copy } from "../../parts/buttons.tsx"
import { DialogButton } from "../../parts/dialog.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { Panel } from "../../parts/page.tsx"
import { moment } from "../../words.ts"
import type { Node } from "./fleet-parts.tsx"

/** The keys that a node may sign with, and their rotation. */
export function NodeKeys({ node, onChange }: { node: Node; onChange: () => void }) {
  const { bootstrap, key_ids: keyIds } = node.registered
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
          <DialogButton
            label="Rotate the key"
            title={`Rotate the key of ${node.id}`}
            class="button"
            onClosed={onChange}
          >
            {(close) => <Rotation id={node.id} onClose={close} />}
          </DialogButton>
        </div>
      )}
    </Panel>
  )
}

/** The steps of a rotation. The last one appears when the new key is registered. */
function Rotation({ id, onClose }: { id: string; onClose: () => void }) {
  const [until, setUntil] = useState<string | null>(null)
  const fields = { public_key: { label: "Public key", placeholder: `${id}.2027:…`, required: true } }
  const form = useForm(fields, (json, labels) => {
    const init = { method: "POST", json, asOperator: true, labels } as const
    const path = `/fleet/nodes/${encodeURIComponent(id)}/keys`
    return change<{ old_keys_until: string }>(path, init, ({ old_keys_until }) => setUntil(old_keys_until))
  })
  const command = `node dist/probe-node.mjs keygen ${id}.${new Date().toISOString().slice(0, 10)}`
  return (
    <>
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
            <>
              <span>Register its public half here. The secret half stays on the machine.</span>
              <Form of={form} submit="Register the key" onCancel={onClose} />
            </>
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
          <Button label="Done" class="button primary" onClick={onClose} />
        </div>
      )}
    </>
  )
}

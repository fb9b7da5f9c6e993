import { call, type Problem } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { UnconfirmedKey, UnconfirmedKeys } from "../../api/shapes.ts"
import { Confirm } from "../../parts/dialog.tsx"
import { Loaded, Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { Ago } from "../../parts/text.tsx"
import { count } from "../../words.ts"

/** Keys that the mailbox's owner may join or revoke. Most accounts have none, so nothing shows until there are some. */
export function UnconfirmedKeysPanel({ onJoined }: { onJoined: () => void }) {
  const load = useLoad("unconfirmed-keys", (signal) => call<UnconfirmedKeys>("/me/unconfirmed-keys", { signal }))
  if (load.state === "loading" || (load.state === "ready" && load.value.total === 0)) return null
  function handleJoined() {
    load.reload()
    onJoined()
  }
  return (
    <Panel
      title="Unconfirmed keys"
      note="Made with your email address, or used in this browser to request your sign-in link."
    >
      <Loaded of={load}>
        {({ keys, total }) => (
          <>
            <p>
              Anyone can name your address. Join only a key that you made yourself: it and its data then belong to your
              account. Revoke the others.
            </p>
            <UnconfirmedTable keys={keys} onJoined={handleJoined} onRevoked={load.reload} />
            {total > keys.length && <p class="soft small">{count(total - keys.length)} more follow after these.</p>}
          </>
        )}
      </Loaded>
    </Panel>
  )
}

interface UnconfirmedTableProps {
  readonly keys: readonly UnconfirmedKey[]
  readonly onJoined: () => void
  readonly onRevoked: () => void
}

function UnconfirmedTable({ keys, onJoined, onRevoked }: UnconfirmedTableProps) {
  return (
    <Scroll label="Unconfirmed keys">
      <table class="table">
        <thead>
          <tr>
            <th>Key</th>
            <th>Created</th>
            <th>From</th>
            <th>Last used</th>
            <th>
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.key_id}>
              <td>
                <div>
                  ends in <code>{key.last4}</code>
                </div>
                {key.requested_sign_in && <div class="soft small">Requested your sign-in link in this browser</div>}
              </td>
              <td>
                <Ago at={key.created_at} />
              </td>
              <td>{key.network ? <code>{key.network}</code> : <span class="soft">not known</span>}</td>
              <td>
                <Ago at={key.last_used_at} />
              </td>
              <td>
                <Actions of={key} onJoined={onJoined} onRevoked={onRevoked} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

function Actions({ of: key, onJoined, onRevoked }: Omit<UnconfirmedTableProps, "keys"> & { of: UnconfirmedKey }) {
  const path = `/me/unconfirmed-keys/${key.key_id}`
  async function join(): Promise<Problem | null> {
    const answer = await call(`${path}/join`, { method: "POST" })
    if (!answer.ok) return answer.problem
    onJoined()
    return null
  }
  async function revoke(): Promise<Problem | null> {
    const answer = await call(path, { method: "DELETE" })
    if (!answer.ok) return answer.problem
    onRevoked()
    return null
  }
  return (
    <div class="actions">
      <Confirm label="Join" title={`Join the key that ends in ${key.last4}?`} onConfirm={join}>
        <p>
          The key and its data become part of your account. Join it only if you made it: its holder can then read your
          lists and spend your credits. This cannot be undone.
        </p>
        {key.lineage_keys > 1 && <p>{count(key.lineage_keys)} keys made together join together.</p>}
      </Confirm>
      <Confirm label="Revoke" title={`Revoke the key that ends in ${key.last4}?`} danger onConfirm={revoke}>
        <p>Every program that uses this key stops working at once. This cannot be undone.</p>
      </Confirm>
    </div>
  )
}

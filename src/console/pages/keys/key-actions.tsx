import { call, type Problem } from "../../api/call.ts"
import { setApiKey } from "../../api/credentials.ts"
import type { Key, NewKey } from "../../api/shapes.ts"
import { Confirm } from "../../parts/dialog.tsx"
import { useSession } from "../../session.tsx"

interface KeyActionsProps {
  readonly of: Key
  readonly onRotated: (key: NewKey) => void
  readonly onRevoked: () => void
}

/** Rotates or revokes a key. */
export function KeyActions({ of: key, onRotated, onRevoked }: KeyActionsProps) {
  const { account, refresh } = useSession()
  const path = `/keys/${encodeURIComponent(key.key_id)}`
  async function rotate(): Promise<Problem | null> {
    const answer = await call<NewKey>(`${path}/rotate`, { method: "POST" })
    if (!answer.ok) return answer.problem
    // This tab uses the rotated key, which has stopped working.
    if (account?.key_id === key.key_id) {
      setApiKey(answer.body.api_key)
      await refresh()
    }
    onRotated(answer.body)
    return null
  }
  async function revoke(): Promise<Problem | null> {
    const answer = await call(path, { method: "DELETE" })
    if (!answer.ok) return answer.problem
    onRevoked()
    return null
  }
  return (
    <>
      <Confirm label="Rotate" title={`Rotate “${key.name}”?`} onConfirm={rotate}>
        <p>You get a new secret. The old one stops working at once. Name and restrictions stay.</p>
      </Confirm>
      <Confirm label="Revoke" title={`Revoke “${key.name}”?`} danger onConfirm={revoke}>
        <p>Every program that uses this key stops working at once. This cannot be undone.</p>
        {account?.key_id === key.key_id && <p>This tab uses it too. You will have to sign in again.</p>}
      </Confirm>
    </>
  )
}

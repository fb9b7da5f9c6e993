import { call, type Problem } from "../../api/call.ts"
import { setApiKey } from "../../api/credentials.ts"
import type { Key, NewKey } from "../../api/shapes.ts"
import { Badge } from "../../parts/badge.tsx"
import { Confirm } from "../../parts/confirm.tsx"
import { Ago } from "../../parts/moment.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { useSession } from "../../session.tsx"
import { count, plain } from "../../words.ts"

interface KeyTableProps {
  readonly keys: readonly Key[]
  readonly onCreated: (key: NewKey) => void
  readonly onChange: () => void
}

export function KeyTable({ keys, onCreated, onChange }: KeyTableProps) {
  return (
    <Scroll label="Keys">
      <table class="table">
        <thead>
          <tr>
            <th>Name</th>
            <th>State</th>
            <th class="num">This month</th>
            <th class="num">Per minute</th>
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
                <div class="break">{key.name}</div>
                <code class="soft break">{key.key_id}</code>
                {key.last4 && <div class="soft small">ends in {key.last4}</div>}
              </td>
              <td>
                {key.is_active ? <Badge tone="valid">Active</Badge> : <Badge tone="unknown">Revoked</Badge>}
                <div class="soft small">{plain(key.tier)}</div>
              </td>
              <td class="num">
                {count(key.credits_this_month)}
                <br />
                <span class="soft small">
                  {key.monthly_limit === null ? "no limit" : `of ${count(key.monthly_limit)}`}
                </span>
              </td>
              <td class="num">{key.rate_per_min === null ? "no limit" : count(key.rate_per_min)}</td>
              <td>
                <Ago at={key.last_used === null ? null : key.last_used * 1_000} />
              </td>
              <td>{key.is_active === 1 && <Actions of={key} onCreated={onCreated} onChange={onChange} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

function Actions({ of: key, onCreated, onChange }: Omit<KeyTableProps, "keys"> & { of: Key }) {
  const { account, refresh } = useSession()
  async function rotate(): Promise<Problem | null> {
    const answer = await call<NewKey>(`/keys/${key.key_id}/rotate`, { method: "POST" })
    if (!answer.ok) return answer.problem
    // This tab uses the rotated key, which has stopped working.
    if (account?.key_id === key.key_id) {
      setApiKey(answer.body.api_key)
      await refresh()
    }
    onCreated(answer.body)
    return null
  }
  async function revoke(): Promise<Problem | null> {
    const answer = await call(`/keys/${key.key_id}`, { method: "DELETE" })
    if (!answer.ok) return answer.problem
    onChange()
    return null
  }
  return (
    <div class="actions">
      <Confirm label="Rotate" title={`Replace “${key.name}”?`} onConfirm={rotate}>
        <p>You get a new secret. The old one stops working at once.</p>
      </Confirm>
      <Confirm label="Revoke" title={`Revoke “${key.name}”?`} danger onConfirm={revoke}>
        <p>Every program that uses this key stops working at once. This cannot be undone.</p>
        {account?.key_id === key.key_id && <p>This tab uses it too. You will have to sign in again.</p>}
      </Confirm>
    </div>
  )
}

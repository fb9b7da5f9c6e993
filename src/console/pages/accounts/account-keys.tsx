import { call, type Problem } from "../../api/call.ts"
import type { UserWithKeys } from "../../api/shapes.ts"
import { Badge } from "../../parts/badge.tsx"
import { Confirm } from "../../parts/dialog.tsx"
import { Empty } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { Ago } from "../../parts/text.tsx"
import { count, plain } from "../../words.ts"

type Key = UserWithKeys["keys"][number]

/** The keys of an account. The operator can revoke each. */
export function AccountKeys({ keys, onChange }: { keys: readonly Key[]; onChange: () => void }) {
  return (
    <Panel title="API keys">
      {keys.length === 0 ? (
        <Empty title="No keys" />
      ) : (
        <Scroll label="API keys">
          <table class="table">
            <thead>
              <tr>
                <th>Name</th>
                <th>State</th>
                <th class="num">Credits this month</th>
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
                  </td>
                  <td>
                    {key.is_active ? <Badge tone="valid">Active</Badge> : <Badge tone="unknown">Revoked</Badge>}
                    <div class="soft small">{plain(key.tier)}</div>
                  </td>
                  <td class="num">{count(key.credits_this_month)}</td>
                  <td>
                    <Ago at={key.last_used === null ? null : key.last_used * 1_000} />
                  </td>
                  <td>{key.is_active === 1 && <Revoke of={key} onChange={onChange} />}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </Panel>
  )
}

function Revoke({ of: { key_id, name }, onChange }: { of: Key; onChange: () => void }) {
  async function revoke(): Promise<Problem | null> {
    const answer = await call(`/admin/keys/${key_id}`, { method: "DELETE", asOperator: true })
    if (!answer.ok) return answer.problem
    onChange()
    return null
  }
  return (
    <Confirm label="Revoke" title={`Revoke “${name}”?`} danger onConfirm={revoke}>
      <p>Every program that uses this key stops working at once. This cannot be undone.</p>
    </Confirm>
  )
}

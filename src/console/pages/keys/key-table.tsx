import type { Key, NewKey } from "../../api/shapes.ts"
import { Scroll } from "../../parts/scroll.tsx"
import { Ago } from "../../parts/text.tsx"
import { useSession } from "../../session.tsx"
import { count } from "../../words.ts"
import { KeyActions } from "./key-actions.tsx"
import { KeyState } from "./key-details.tsx"
import { inBrief, isInUse, keyLink } from "./key-words.ts"

interface KeyTableProps {
  readonly keys: readonly Key[]
  readonly onRotated: (key: NewKey) => void
  readonly onChange: () => void
}

export function KeyTable({ keys, onRotated, onChange }: KeyTableProps) {
  const { account } = useSession()
  return (
    <Scroll label="Keys">
      <table class="table stacked">
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
                <div class="break">
                  <a href={keyLink(key.key_id)}>{key.name}</a>
                </div>
                {key.last4 && (
                  <div class="soft small">
                    ends in <code>{key.last4}</code>
                    {account?.key_id === key.key_id && ", used by this tab"}
                  </div>
                )}
              </td>
              <td data-name="State">
                <KeyState of={key} />
                {key.is_active === 1 && <div class="soft small break">{inBrief(key)}</div>}
              </td>
              <td class="num" data-name="Credits">
                {count(key.credits_this_month)}
              </td>
              <td data-name="Last used">
                <Ago at={key.last_used === null ? null : key.last_used * 1_000} />
              </td>
              <td>
                {isInUse(key) && (
                  <div class="actions">
                    <KeyActions of={key} onRotated={onRotated} onRevoked={onChange} />
                  </div>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

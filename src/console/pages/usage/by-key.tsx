import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { Key, Keys } from "../../api/shapes.ts"
import { FirstRows } from "../../parts/first-rows.tsx"
import { Loaded, Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { Ago } from "../../parts/text.tsx"
import { count } from "../../words.ts"

type Used = Keys["sessions"]

/** What each key and the signed-in sessions used this month. The parts add up to the last row. */
export function ByKey() {
  const load = useLoad("keys", (signal) => call<Keys>("/keys", { signal }))
  return (
    <Panel title="By API key" note="this month">
      <Loaded of={load}>{(used) => <UsedTable {...used} />}</Loaded>
    </Panel>
  )
}

function UsedTable({ keys, sessions }: Keys) {
  const sum = (field: keyof Used) => keys.reduce((total, key) => total + key[field], sessions[field])
  return (
    <FirstRows rows={keys.toSorted((a, b) => b.verifications_this_month - a.verifications_this_month)}>
      {(shown) => (
        <Scroll label="By API key">
          <table class="table">
            <thead>
              <tr>
                <th>Key</th>
                <th class="num">Verifications</th>
                <th class="num">Credits</th>
                <th>Last used</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((key) => (
                <tr key={key.key_id}>
                  <td class="break">
                    <a href={`#/keys/${key.key_id}`}>{key.name}</a>
                    <div class="soft small">{detailsOf(key)}</div>
                  </td>
                  <Amounts used={key} />
                  <td>
                    <Ago at={key.last_used === null ? null : key.last_used * 1_000} />
                  </td>
                </tr>
              ))}
              <tr>
                <td>Console (signed in)</td>
                <Amounts used={sessions} />
                <td />
              </tr>
            </tbody>
            <tfoot>
              <tr>
                <th scope="row">All</th>
                <td class="num">{count(sum("verifications_this_month"))}</td>
                <td class="num">{count(sum("credits_this_month"))}</td>
                <td />
              </tr>
            </tfoot>
          </table>
        </Scroll>
      )}
    </FirstRows>
  )
}

function Amounts({ used }: { used: Used }) {
  return (
    <>
      <td class="num">{count(used.verifications_this_month)}</td>
      <td class="num">{count(used.credits_this_month)}</td>
    </>
  )
}

/** What tells keys of the same name apart. */
function detailsOf({ last4, is_active: isActive, replaced_by: successor }: Key): string {
  const state = isActive === 1 ? "" : successor === null ? "revoked" : "replaced"
  return [last4 && `ends in ${last4}`, state].filter(Boolean).join(", ")
}

import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { Key } from "../../api/shapes.ts"
import { FirstRows } from "../../parts/first-rows.tsx"
import { Loaded } from "../../parts/loaded.tsx"
import { Ago } from "../../parts/moment.tsx"
import { Empty } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { count } from "../../words.ts"

/** What each key used this month. The console's own calls of a session are not among them. */
export function ByKey() {
  const load = useLoad("keys", (signal) => call<{ keys: readonly Key[] }>("/keys", { signal }))
  return (
    <Panel title="By API key" note="this month">
      <Loaded of={load}>
        {({ keys }) =>
          keys.length === 0 ? (
            <Empty title="No keys yet">
              <a class="button" href="#/keys">
                Create an API key
              </a>
            </Empty>
          ) : (
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
                          </td>
                          <td class="num">{count(key.verifications_this_month)}</td>
                          <td class="num">{count(key.credits_this_month)}</td>
                          <td>
                            <Ago at={key.last_used === null ? null : key.last_used * 1_000} />
                          </td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                </Scroll>
              )}
            </FirstRows>
          )
        }
      </Loaded>
    </Panel>
  )
}

import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { RetentionStatus } from "../../api/shapes.ts"
import { Loaded, Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { Ago } from "../../parts/text.tsx"
import { days, rows } from "../../words.ts"
import { kindOf } from "./kinds.ts"

/** The retention policy and its last run. */
export function Retention() {
  const load = useLoad("retention", (signal) => call<RetentionStatus>("/gdpr/status", { signal }))
  return (
    <Panel title="Retention">
      <Loaded of={load} lines={5}>
        {({ retention_days, policy, last_purge, last_purge_rows }) => (
          <>
            <p>
              Results are deleted after {days(retention_days)}.{" "}
              {last_purge === null ? (
                "The deletion runs every night; it has not run yet."
              ) : (
                <>
                  The last run was <Ago at={last_purge} />
                  {last_purge_rows !== null && `: ${rows(last_purge_rows)} deleted`}.
                </>
              )}
            </p>
            <Scroll label="Retention by kind of data">
              <table class="table">
                <thead>
                  <tr>
                    <th>Deleted after</th>
                    <th>Data</th>
                  </tr>
                </thead>
                <tbody>
                  {byDays(policy).map(([amount, kinds]) => (
                    <tr key={amount}>
                      <td class="nowrap">{days(amount)}</td>
                      <td>
                        <ul class="bullets">
                          {kinds.map((kind) => (
                            <li key={kind}>{kind}</li>
                          ))}
                        </ul>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroll>
          </>
        )}
      </Loaded>
    </Panel>
  )
}

/** The kinds of data by their retention, the longest first. */
function byDays(policy: RetentionStatus["policy"]): (readonly [days: number, kinds: readonly string[]])[] {
  const groups = Map.groupBy(policy, ({ days }) => days)
  return [...groups]
    .toSorted(([a], [b]) => b - a)
    .map(([days, rules]) => [days, [...new Set(rules.map(({ table }) => kindOf(table)))]] as const)
}

import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { RetentionStatus } from "../../api/shapes.ts"
import { Loaded } from "../../parts/loaded.tsx"
import { Ago } from "../../parts/moment.tsx"
import { Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { count, days, plain } from "../../words.ts"

/** The retention policy and its last run. */
export function Retention() {
  const load = useLoad("retention", (signal) => call<RetentionStatus>("/gdpr/status", { signal }))
  return (
    <Panel title="Retention">
      <Loaded of={load} lines={5}>
        {({ retention_days, policy, last_purge, last_purge_rows }) => (
          <>
            <p>
              Results are deleted after {days(retention_days)}. The last run was <Ago at={last_purge} />
              {last_purge_rows !== null &&
                ` and deleted ${count(last_purge_rows)} ${last_purge_rows === 1 ? "row" : "rows"}`}
              .
            </p>
            <Scroll label="Retention by kind of data">
              <table class="table">
                <thead>
                  <tr>
                    <th>Data</th>
                    <th class="num">Deleted after</th>
                  </tr>
                </thead>
                <tbody>
                  {policy.map((row) => (
                    <tr key={row.table}>
                      <td class="break">{plain(row.table)}</td>
                      <td class="num">{days(row.days)}</td>
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

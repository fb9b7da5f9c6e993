import type { Report } from "../../api/shapes.ts"
import { CompositionBar } from "../../parts/composition.tsx"
import { Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { count, percent, SHOWN_STATUSES, STATUS_WORDS } from "../../words.ts"

/** The list grouped by operator of the mail servers. */
export function Operators({ report: { mail_operators, analyzed } }: { report: Report }) {
  if (mail_operators.length === 0) return null
  return (
    <Panel title="By mail operator">
      <Scroll label="By mail operator">
        <table class="table">
          <thead>
            <tr>
              <th>Operator</th>
              <th>Composition</th>
              <th class="num">Addresses</th>
              <th class="num">Share</th>
              {SHOWN_STATUSES.map((status) => (
                <th key={status} class="num">
                  {STATUS_WORDS[status]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {mail_operators.map((row) => (
              <tr key={row.operator}>
                <td>{row.operator}</td>
                <td class="bar-cell">
                  <CompositionBar counts={row} total={row.total} />
                </td>
                <td class="num">{count(row.total)}</td>
                <td class="num">{percent(row.total / analyzed)}</td>
                {SHOWN_STATUSES.map((status) => (
                  <td key={status} class={row[status] === 0 ? "num soft" : "num"}>
                    {count(row[status])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </Panel>
  )
}

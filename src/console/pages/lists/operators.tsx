import type { Report } from "../../api/shapes.ts"
import { CompositionBar } from "../../parts/composition.tsx"
import { Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { count, percent, SHOWN_STATUSES, STATUS_WORDS } from "../../words.ts"

/** The list by who runs the mail servers. */
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
            {mail_operators.map((one) => (
              <tr key={one.operator}>
                <td>{one.operator}</td>
                <td class="bar-cell">
                  <CompositionBar counts={one} total={one.total} />
                </td>
                <td class="num">{count(one.total)}</td>
                <td class="num">{percent(one.total / analyzed)}</td>
                {SHOWN_STATUSES.map((status) => (
                  <td key={status} class={one[status] === 0 ? "num soft" : "num"}>
                    {count(one[status])}
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

import type { Report } from "../../api/shapes.ts"
import { providerWords } from "../../operator-names.ts"
import { CompositionBar } from "../../parts/composition.tsx"
import { Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { count, percent, SHOWN_STATUSES, STATUS_WORDS } from "../../words.ts"

/** The list grouped by the provider that runs the mail servers. */
export function MailProviders({ report: { mail_operators, analyzed } }: { report: Report }) {
  if (mail_operators.length === 0) return null
  return (
    <Panel title="By mail provider">
      <Scroll label="By mail provider">
        <table class="table">
          <thead>
            <tr>
              <th>Mail provider</th>
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
                <td>{providerWords(row.operator)}</td>
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

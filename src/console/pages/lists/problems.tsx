import type { Report } from "../../api/shapes.ts"
import { Empty } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { count, percent } from "../../words.ts"

export function Problems({ report: { top_problems } }: { report: Report }) {
  return (
    <Panel title="Top problems">
      {top_problems.length === 0 ? (
        <Empty title="None">
          <p>No problem was found in the verified addresses.</p>
        </Empty>
      ) : (
        <ul class="problems">
          {top_problems.map(({ problem, message, count: affected, share }) => (
            <li key={problem}>
              <div class="problem-head">
                <span>
                  {message.slice(0, 1).toUpperCase()}
                  {message.slice(1)}
                </span>
                <span class="tabular">
                  <b>{count(affected)}</b> <span class="soft">{percent(share)}</span>
                </span>
              </div>
              <div class="bar thin" aria-hidden="true">
                <i class="tone-accent" style={{ flexBasis: `${share * 100}%` }} />
              </div>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

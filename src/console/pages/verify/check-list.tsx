import type { Deliverability } from "../../api/shapes.ts"
import { Mark, RatedRows } from "../../parts/check-rows.tsx"
import { Panel } from "../../parts/page.tsx"
import { worst } from "../../parts/rating.ts"
import { groupsOf } from "./check-groups.ts"

/** The checks in groups, by importance. Only the group that decided is open. */
export function CheckList({ result }: { result: Deliverability }) {
  return (
    <Panel title="Checks" note="Most important first">
      {groupsOf(result).map((group, i) => (
        <details key={group.title} class="check-group" open={i === 0}>
          <summary>
            <Mark rating={worst(group.rows)} />
            <h3>{group.title}</h3>
            <span class="soft small break">{group.summary}</span>
          </summary>
          <RatedRows rows={group.rows} />
        </details>
      ))}
    </Panel>
  )
}

import type { Imported } from "../../api/shapes.ts"
import { Notice } from "../../parts/notice.tsx"
import { count } from "../../words.ts"

/** Rejected rows shown in detail. */
const MAX_SHOWN = 20

/** What an import did, and the rows it rejected. */
export function ImportOutcome({ imported }: { imported: Imported }) {
  const { rejected } = imported
  const more = rejected.length - MAX_SHOWN
  return (
    <Notice tone={rejected.length > 0 ? "accept_all" : "valid"} title={titleOf(imported)}>
      {rejected.length > 0 && (
        <ul class="small">
          {rejected.slice(0, MAX_SHOWN).map(({ row, reason }) => (
            <li key={row} class="break">
              Row {row}: {reason}
            </li>
          ))}
          {more > 0 && <li>and {count(more)} more</li>}
        </ul>
      )}
    </Notice>
  )
}

function titleOf({ added, updated, kept, duplicates, rejected }: Imported): string {
  const known = kept + duplicates
  return `${count(added)} added, ${count(updated)} updated, ${count(known)} known, ${count(rejected.length)} rejected`
}

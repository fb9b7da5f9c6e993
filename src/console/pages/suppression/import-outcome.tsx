import type { Imported } from "../../api/shapes.ts"
import { Notice } from "../../parts/notice.tsx"
import { count } from "../../words.ts"

/** Rejected rows shown in detail. */
const MAX_SHOWN = 20

interface ImportOutcomeProps {
  readonly imported: Imported
  /** Names a rejected row. @param row counted from 1, with the header */
  readonly nameOf?: (row: number) => string
}

/** What an import did, and the rows it rejected. */
export function ImportOutcome({ imported, nameOf = (row) => `Row ${row}` }: ImportOutcomeProps) {
  const { rejected } = imported
  const more = rejected.length - MAX_SHOWN
  return (
    <Notice tone={rejected.length > 0 ? "accept_all" : "valid"} title={titleOf(imported)}>
      {rejected.length > 0 && (
        <ul class="small">
          {rejected.slice(0, MAX_SHOWN).map(({ row, reason }) => (
            <li key={row} class="break">
              {nameOf(row)}: {reason}
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
